"""Networks answer on one core, whatever the process uses."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import torch

from tacit.games import load_game
from tacit.learn.encoding import Encoding
from tacit.learn.network import inference, make_network
from tacit.learn.settings import NetworkSettings
from tacit.tree import Builder


def test_an_answer_takes_one_core_and_leaves_the_threads_as_they_were() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with suppress(ValueError), inference():
            assert torch.get_num_threads() == 1
            assert torch.is_inference_mode_enabled()
            raise ValueError
        assert torch.get_num_threads() == 2
        encoding = Encoding(Builder(load_game("kuhn")), joint=True)
        network = make_network(encoding, NetworkSettings(hidden=(8,)), seed=0)
        used: list[int] = []
        network.body.register_forward_hook(lambda *_: used.append(torch.get_num_threads()))
        answers = network._answer(np.zeros((3, encoding.inputs), dtype=np.float32))
        assert answers.shape == (3, encoding.outputs)
        assert (used, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)
