package standin

import (
	"encoding/json"
	"net/http"
)

// Handler returns a handler that answers the last message of each POST /v1/chat/completions by the rules, and GET
// /v1/models with a single model named stand-in. Invalid requests get status 400.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, map[string]any{"object": "list", "data": []any{map[string]string{"id": "stand-in", "object": "model"}}})
	})
	mux.HandleFunc("POST /v1/chat/completions", serveChat)
	return mux
}

// maxRequestBytes is the largest request body that is read, in bytes.
const maxRequestBytes = 16 << 20

func serveChat(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Messages []struct{ Content string }
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequestBytes)).Decode(&request)
	if err != nil || len(request.Messages) == 0 {
		http.Error(w, "want JSON with messages, whose contents are texts", http.StatusBadRequest)
		return
	}
	said := answerMessage(request.Messages[len(request.Messages)-1].Content)
	sendJSON(w, map[string]any{
		"id": "stand-in", "object": "chat.completion", "model": request.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{
			"role": "assistant", "content": said.text, "reasoning_content": said.reasoning}}},
		"usage": map[string]int{"completion_tokens": said.countTokens()},
	})
}

// sendJSON writes v as JSON. It ignores errors, which mean that the client has disconnected.
func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
