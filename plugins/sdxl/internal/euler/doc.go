// Package euler is the scheduler of Stable Diffusion XL's denoising: Euler steps along the noise levels in
// scheduler_config.json, equal to diffusers' EulerDiscreteScheduler (Karras and others, "Elucidating the Design Space
// of Diffusion-Based Generative Models", 2022, algorithm 2 without churn).
//
// In scope: timesteps, noise levels and the arithmetic of a step, in float32. Out of scope: the network that predicts
// the noise, guidance.
package euler

import "errors"

// ErrConfig means that a scheduler_config.json is damaged or requests an unsupported feature; errors.Is finds it.
var ErrConfig = errors.New("scheduler_config.json")
