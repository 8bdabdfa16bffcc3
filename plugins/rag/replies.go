package rag

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/sdk"
)

// cachedReplies contains the replies of an earlier run. With them, a performance run repeats the same searches.
type cachedReplies map[replyKey]string

// replyKey identifies a reply: row of the question, component in the reference's logs, and round.
type replyKey struct {
	row       int
	component string
	round     int
}

// maxRepliesBytes limits the size of a file of replies.
const maxRepliesBytes = 4 << 30

// readReplies reads a logs_result.json file of the reference. The text of a reply is in output.response or, in newer
// files, in output.actual_output. An empty path returns no replies.
func readReplies(path string) (cachedReplies, error) {
	if path == "" {
		return nil, nil
	}
	text, err := bounded.ReadFile(path, maxRepliesBytes)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter cache: %w", err))
	}
	all, err := parseReplies(text)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter cache: %s: %w", path, err))
	}
	return all, nil
}

func parseReplies(text []byte) (cachedReplies, error) {
	var log struct {
		Queries []struct {
			ID    json.RawMessage `json:"query_id"`
			Calls []struct {
				Component string
				Round     int `json:"hop_count"`
				Output    struct {
					Response *string
					Actual   *string `json:"actual_output"`
				}
			} `json:"llm_calls"`
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		return nil, err
	}
	all := cachedReplies{}
	for i, q := range log.Queries {
		id := string(q.ID)
		if unquoted, err := strconv.Unquote(id); err == nil {
			id = unquoted
		}
		row, err := strconv.Atoi(id)
		if err != nil {
			return nil, fmt.Errorf("query %d: query_id is %s, want the row of a question", i, q.ID)
		}
		for _, c := range q.Calls {
			reply := c.Output.Response
			if reply == nil {
				reply = c.Output.Actual
			}
			if reply != nil && *reply != "" {
				all[replyKey{row, c.Component, c.Round}] = *reply
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("it holds no reply: want queries[].llm_calls[].output.response, or actual_output")
	}
	return all, nil
}
