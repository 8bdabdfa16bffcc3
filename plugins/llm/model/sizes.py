"""The network's sizes."""

LAYERS, WIDTH, HEADS, KEY_HEADS, INNER, POSITIONS = 3, 128, 4, 2, 256, 2048
DIM = WIDTH // HEADS
EPSILON, THETA = 1e-6, 10000.0  # of the norms, and of the rotary positions
