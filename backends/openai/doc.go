// Package openai is a backend for servers that speak the OpenAI-compatible completion API.
package openai
