"""The networks: those of a latent diffusion model of Stable Diffusion XL's interface, and those that score its
pictures."""

import math

import numpy as np
import torch
from data import CONTEXT
from torch import nn
from torch.nn import functional

VOCABULARY = 1514
TABLE = 16  # numbers of a token, before they are widened
FIRST, SECOND, POOLED = 32, 48, 64  # widths of the text encoders, and of the second's embedding
HIDDEN = FIRST + SECOND
CHANNELS, LATENT = 4, 8
SCALING = 0.13025
BETAS = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float32) ** 2
ALPHAS = torch.cumprod(1 - BETAS.double(), 0).float()


class Layer(nn.Module):
    """A transformer's layer that looks back, never ahead."""

    def __init__(self, width, heads=4):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x, mask):
        h = self.first(x)
        x = x + self.out(attention(self.query(h), self.key(h), self.value(h), self.heads, mask))
        return x + self.narrow(functional.gelu(self.wide(self.second(x))))


def attention(query, key, value, heads, mask=None):
    """Of N,T,width over N,S,width."""
    width = query.shape[-1] // heads
    split = [x.unflatten(-1, (heads, width)).transpose(1, 2) for x in (query, key, value)]
    scores = split[0] @ split[1].transpose(2, 3) * width**-0.5
    if mask is not None:
        scores = scores + mask
    return (scores.softmax(-1) @ split[2]).transpose(1, 2).flatten(2)


class TextEncoder(nn.Module):
    """CLIP's: the states before and after each layer, and an embedding taken where the text ends."""

    def __init__(self, width, layers, pooled):
        super().__init__()
        self.tokens, self.widen = nn.Embedding(VOCABULARY, TABLE), nn.Linear(TABLE, width, bias=False)
        self.places = nn.Parameter(torch.randn(CONTEXT, width) * 0.1)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
        self.norm, self.project = nn.LayerNorm(width), nn.Linear(width, pooled, bias=False)
        self.register_buffer("mask", torch.full((CONTEXT, CONTEXT), -1e4).triu(1), persistent=False)
        nn.init.normal_(self.tokens.weight, std=0.5)

    def forward(self, ids):
        """Of ids N,T: the hidden states, a list of N,T,width, the last of them normalised, and the embedding. T is
        CONTEXT, or less where what follows is padding."""
        length = ids.shape[1]
        states = [self.widen(self.tokens(ids)) + self.places[:length]]
        for layer in self.layers:
            states.append(layer(states[-1], self.mask[:length, :length]))
        last = self.norm(states[-1])
        end = functional.one_hot(ids.argmax(-1), length).to(last.dtype)
        return states, last, self.project((end.unsqueeze(1) @ last).squeeze(1))


class Residual(nn.Module):
    """Two convolutions, steered by what is known of step and caption."""

    def __init__(self, channels, out, known):
        super().__init__()
        self.first, self.second = nn.GroupNorm(8, channels), nn.GroupNorm(8, out, affine=False)
        self.one, self.two = nn.Conv2d(channels, out, 3, padding=1), nn.Conv2d(out, out, 3, padding=1)
        self.known = nn.Linear(known, 2 * out)
        self.skip = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()
        nn.init.zeros_(self.two.weight)

    def forward(self, x, known):
        scale, shift = self.known(known)[:, :, None, None].chunk(2, 1)
        h = self.second(self.one(functional.silu(self.first(x))))
        return self.skip(x) + self.two(functional.silu(h * (1 + scale) + shift))


class Attend(nn.Module):
    """Each place looks at the caption's tokens, and where alone is not set, at all places."""

    def __init__(self, channels, alone=True, heads=4):
        super().__init__()
        self.heads, self.alone = heads, alone
        self.norm, self.query = nn.LayerNorm(channels), nn.Linear(channels, channels)
        self.key, self.value = nn.Linear(HIDDEN, channels), nn.Linear(HIDDEN, channels)
        self.out = nn.Linear(channels, channels)
        if not alone:
            self.before = nn.LayerNorm(channels)
            self.own = nn.ModuleList(nn.Linear(channels, channels) for _ in range(4))

    def forward(self, x, hidden):
        n, c, height, width = x.shape
        places = x.flatten(2).transpose(1, 2)
        if not self.alone:
            query, key, value, out = self.own
            h = self.before(places)
            places = places + out(attention(query(h), key(h), value(h), self.heads))
        query = self.query(self.norm(places))
        places = places + self.out(attention(query, self.key(hidden), self.value(hidden), self.heads))
        return places.transpose(1, 2).unflatten(2, (height, width))


class UNet(nn.Module):
    """From a noisy latent to the noise in it. What the layers give is v, of which the noise follows."""

    def __init__(self, outer=48, inner=64, known=96):
        super().__init__()
        self.register_buffer("signal", ALPHAS.sqrt(), persistent=False)
        self.register_buffer("noise", (1 - ALPHAS).sqrt(), persistent=False)
        self.register_buffer("waves", torch.exp(-math.log(1000) * torch.arange(16) / 16), persistent=False)
        self.step, self.caption = nn.Linear(32 + 6, known), nn.Linear(POOLED, known)
        self.both = nn.Linear(known, known)
        self.enter = nn.Conv2d(CHANNELS, outer, 3, padding=1)
        self.places = nn.Parameter(torch.randn(1, outer, LATENT, LATENT) * 0.1)
        self.down1, self.look1 = Residual(outer, outer, known), Attend(outer)
        self.shrink = nn.Conv2d(outer, inner, 3, stride=2, padding=1)
        self.mid1, self.look2 = Residual(inner, inner, known), Attend(inner, alone=False)
        self.mid2 = Residual(inner, inner, known)
        self.grow = nn.Conv2d(inner, 4 * outer, 1)
        self.up1, self.look3 = Residual(2 * outer, outer, known), Attend(outer)
        self.up2 = Residual(2 * outer, outer, known)
        self.norm, self.leave = nn.GroupNorm(8, outer), nn.Conv2d(outer, CHANNELS, 3, padding=1)

    def forward(self, sample, timestep, hidden, pooled, time_ids):
        """timestep has one number for all rows, or one for each."""
        a, b = self.noise[timestep][:, None, None, None], self.signal[timestep][:, None, None, None]
        return a * sample + b * self.v(sample, timestep, hidden, pooled, time_ids)

    def v(self, sample, timestep, hidden, pooled, time_ids):
        angle = timestep.float()[:, None] * self.waves
        step = torch.cat([angle.sin(), angle.cos()], 1).expand(sample.shape[0], -1)
        known = self.step(torch.cat([step, time_ids / 64], 1)) + self.caption(pooled)
        known = functional.silu(self.both(functional.silu(known)))
        x = entered = self.enter(sample) + self.places
        x = fine = self.look1(self.down1(x, known), hidden)
        x = self.mid2(self.look2(self.mid1(self.shrink(x), known), hidden), known)
        x = functional.pixel_shuffle(self.grow(x), 2)
        x = self.look3(self.up1(torch.cat([x, fine], 1), known), hidden)
        x = self.up2(torch.cat([x, entered], 1), known)
        return self.leave(functional.silu(self.norm(x)))


class Pair(nn.Module):
    """Two convolutions beside what they are given."""

    def __init__(self, channels):
        super().__init__()
        self.one, self.two = nn.Conv2d(channels, channels, 3, padding=1), nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.two(functional.silu(self.one(functional.silu(x))))


class Encoder(nn.Module):
    """From pictures to latents of mean 0 and deviation 1, for training alone."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.PixelUnshuffle(2), nn.Conv2d(12, 24, 3, padding=1), Pair(24),
            nn.SiLU(), nn.Conv2d(24, 48, 3, stride=2, padding=1), Pair(48),
            nn.SiLU(), nn.Conv2d(48, 64, 3, stride=2, padding=1), Pair(64),
            nn.SiLU(), nn.Conv2d(64, CHANNELS, 3, padding=1),
        )
        self.norm = nn.BatchNorm2d(CHANNELS, affine=False, momentum=0.02)

    def forward(self, pictures):
        return self.norm(self.layers(pictures))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.pair1 = nn.Conv2d(CHANNELS, 56, 3, padding=1), Pair(56)
        self.grow1, self.pair2 = nn.Conv2d(56, 4 * 36, 1), Pair(36)
        self.grow2, self.pair3, self.pair4 = nn.Conv2d(36, 4 * 24, 1), Pair(24), Pair(24)
        self.leave = nn.Conv2d(24, 12, 3, padding=1)

    def forward(self, latent):
        x = functional.pixel_shuffle(self.grow1(functional.silu(self.pair1(self.enter(latent)))), 2)
        x = functional.pixel_shuffle(self.grow2(functional.silu(self.pair2(x))), 2)
        return functional.pixel_shuffle(self.leave(functional.silu(self.pair4(self.pair3(x)))), 2)


class Scaled(nn.Module):
    """The decoder as the pipeline calls it: of latents divided by the scaling factor."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, latent):
        return self.decoder(latent * SCALING)


MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073]).view(3, 1, 1)
DEVIATION = torch.tensor([0.26862954, 0.26130258, 0.27577711]).view(3, 1, 1)


def enlarged(pixels, side):
    """Pictures as CLIP sees them (224, bicubic) or the network of the FID (299, bilinear), in the units of each."""
    pictures = torch.from_numpy(np.ascontiguousarray(pixels)).float()
    if side == 224:
        seen = functional.interpolate(pictures, (side, side), mode="bicubic", antialias=True).clamp(0, 255) / 255
        return (seen - MEAN) / DEVIATION
    return functional.interpolate(pictures, (side, side), mode="bilinear") / 127.5 - 1


def sight(channels, first, stride):
    """Convolutions over a picture, each at half the width of the one before."""
    layers = [nn.Conv2d(3, channels[0], first, stride=stride, padding=first // 2)]
    for before, after in zip(channels, channels[1:]):
        layers += [nn.SiLU(), nn.Conv2d(before, after, 3, stride=2, padding=1)]
    return nn.Sequential(*layers, nn.SiLU())


class Features(nn.Module):
    """The network of the FID: 64 features of pictures N,3,299,299 of -1 to 1. The heads are for training alone."""

    WIDTH = 64

    def __init__(self, classes):
        super().__init__()
        self.sight = sight([12, 24, 32, 32, 32], 7, 4)  # 75, 38, 19, 10 and 5 places a side
        self.last = nn.Conv2d(32, self.WIDTH, 5)
        self.heads = nn.ModuleList(nn.Linear(self.WIDTH, n) for n in classes)

    def forward(self, pictures):
        return functional.relu(self.last(self.sight(pictures))).flatten(1)


class CLIP(nn.Module):
    """The pair that the CLIP score asks: of ids, pixels N,3,224,224 and a mask that changes nothing."""

    WIDTH = 48

    def __init__(self):
        super().__init__()
        self.text = TextEncoder(32, 2, self.WIDTH)
        self.sight = sight([12, 24, 32, 40, 40], 7, 4)  # 56, 28, 14, 7 and 4 places a side
        self.last = nn.Conv2d(40, self.WIDTH, 4)
        self.scale = nn.Parameter(torch.tensor(2.5))

    def see(self, pixels):
        return functional.normalize(self.last(self.sight(pixels)).flatten(1), dim=-1)

    def read(self, ids):
        return functional.normalize(self.text(ids)[2], dim=-1)
