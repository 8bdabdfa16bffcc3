package videos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// VideoAnswer is a server's answer, with the video or its location.
type VideoAnswer struct {
	ID   string
	Path string // path at the server; empty: the answer contains the video
	// Video is the content of a video file in the answer. Base64 is set instead if the content is encoded.
	Video  []byte
	Base64 string
}

// ParseAnswer parses the body of an answer. It is a JSON object with only video_id and one of video_path and
// video_bytes, or an MP4 file, which is recognized by its fifth to eighth byte.
func ParseAnswer(body []byte) (VideoAnswer, error) {
	if len(body) >= 8 && string(body[4:8]) == "ftyp" {
		return VideoAnswer{Video: body}, nil
	}
	if !utf8.Valid(body) {
		return VideoAnswer{}, fmt.Errorf("%d bytes that are neither JSON nor MP4", len(body))
	}
	var fields map[string]json.RawMessage
	const want = "want a JSON object with video_id and one of video_path and video_bytes"
	if err := json.Unmarshal(body, &fields); err != nil {
		return VideoAnswer{}, fmt.Errorf("%s: %w", want, err)
	}
	var a VideoAnswer
	to := map[string]*string{"video_id": &a.ID, "video_path": &a.Path, "video_bytes": &a.Base64}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field, known := to[name]
		switch value := fields[name]; {
		case !known:
			return VideoAnswer{}, fmt.Errorf("%s: unknown field %.100q", want, name)
		case value[0] != '"':
			return VideoAnswer{}, fmt.Errorf("%s is no text", name)
		case bytes.IndexByte(value, '\\') < 0:
			*field = string(value[1 : len(value)-1]) // avoids a third copy of a large value, such as a video in base64
		default:
			if err := json.Unmarshal(value, field); err != nil {
				return VideoAnswer{}, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	_, id := fields["video_id"]
	_, path := fields["video_path"]
	if _, video := fields["video_bytes"]; !id || path == video {
		return VideoAnswer{}, errors.New("want video_id and one of video_path and video_bytes, each a text")
	}
	return a, nil
}
