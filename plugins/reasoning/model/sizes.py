"""The network's sizes."""

from embedded.sizes import Sizes

SIZES = Sizes(vocabulary=896, layers=4, width=128, heads=4, key_heads=2, inner=256, positions=256)
