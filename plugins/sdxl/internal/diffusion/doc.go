// Package diffusion is the pipeline of Stable Diffusion XL between its networks: from encoded prompts and one latent,
// by classifier-free guidance along a schedule, to pictures, as the reference's pipeline computes them in float32.
//
// In: latents, embeddings and pictures as dense float32 tensors in C order. Out: running the networks (Networks),
// tokens.
package diffusion

import "errors"

// ErrShape is a tensor whose shape does not fit the others, found with errors.Is.
var ErrShape = errors.New("tensors do not fit")
