"""The sizes of a small decoder of the Llama family."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """The sizes of a network. positions are those that it is trained for."""

    vocabulary: int
    layers: int
    width: int
    heads: int
    key_heads: int
    inner: int
    positions: int
    epsilon: float = 1e-6  # of the norms
    theta: float = 10000.0  # of the rotary positions

    @property
    def dim(self):
        """The width of a head."""
        return self.width // self.heads
