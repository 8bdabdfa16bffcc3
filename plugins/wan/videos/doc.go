// Package videos requests videos for texts from a server over HTTP, a process by lines of JSON, or the stand-in that
// draws.
//
// In: requests and answers of the API of videos (POST /v1/videos/generations), equal to those of the endpoints harness,
// and a backend for each of the three. Out: which prompts are asked and what becomes of a video: package wan.
package videos
