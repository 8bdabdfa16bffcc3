// Package videos requests the videos of prompts. It sends requests to an HTTP server, a process that reads and writes
// JSON lines, or the stand-in.
//
// In scope: requests and answers of the API of videos (POST /v1/videos/generations), equal to those of the endpoints
// harness, and a backend for each of the three. Out of scope: the prompts and the use of a video (package wan).
package videos
