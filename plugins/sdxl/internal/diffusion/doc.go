// Package diffusion is the pipeline of Stable Diffusion XL around its networks. It turns encoded prompts and one latent
// into pictures by classifier-free guidance along a schedule, like the reference's pipeline in float32.
//
// In scope: latents, embeddings and pictures as dense float32 tensors in C order. Out of scope: running the networks
// (Networks), tokens.
package diffusion

import "errors"

// ErrShape means that the shapes of tensors do not match; errors.Is finds it.
var ErrShape = errors.New("tensors do not fit")
