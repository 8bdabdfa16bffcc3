package videos

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenAPI is what the endpoints harness sends and takes.
type goldenAPI struct {
	Requests []struct {
		Name  string
		Row   json.RawMessage
		Body  string
		Error string
	}
	Responses []struct {
		Name   string
		Body   []byte `json:"body_base64"`
		Output *string
		Error  string
	}
}

func TestGoldenRequestsAndAnswers(t *testing.T) {
	golden.Each(t, "wan/http*.json", func(t *testing.T, path string) {
		text, err := os.ReadFile(path)
		var all goldenAPI
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil || len(all.Requests) == 0 || len(all.Responses) == 0 {
			t.Fatalf("%v: %d requests, %d answers", err, len(all.Requests), len(all.Responses))
		}
		for _, c := range all.Requests {
			r, err := OfficialRequest().ParseRow(c.Row)
			if (err != nil) != (c.Error != "") {
				t.Errorf("%s: %v, want %q", c.Name, err, c.Error)
			} else if body := string(r.EncodeBody()); err == nil && body != c.Body {
				t.Errorf("%s:\n%s\nwant\n%s", c.Name, body, c.Body)
			}
		}
		for _, c := range all.Responses {
			a, err := ParseAnswer(c.Body)
			if a.Video != nil && c.Error != "" {
				continue // MP4 without a folder, which there always is here
			}
			if (err != nil) != (c.Error != "") {
				t.Errorf("%s: %v, want %q", c.Name, err, c.Error)
			} else if err == nil && a.Video == nil && c.Output != nil && a.Path != *c.Output {
				t.Errorf("%s: %q, want %q", c.Name, a.Path, *c.Output)
			}
		}
	})
}

// TestRows: all faults of a row are told at once.
func TestRows(t *testing.T) {
	_, err := OfficialRequest().ParseRow([]byte(
		`{"fps": 1.5, "seconds": "long", "size": 7, "stream": true, "output_format": "gif"}`))
	for _, null := range []string{"prompt", "size", "fps", "seed", "seconds", "output_format"} {
		if _, err := OfficialRequest().ParseRow(fmt.Appendf(nil, `{"prompt": "x", %q: null}`, null)); err == nil {
			t.Errorf("%s: null is taken", null)
		}
	}
	for _, want := range []string{"prompt: is missing", "fps", "seconds", "size", "stream", "output_format"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q is not told", err, want)
		}
	}
	r, err := OfficialRequest().ParseRow([]byte(
		`{"prompt": "é<", "fps": "24.0", "latent_path": "/l.pt", "guidance_scale": true}`))
	if want := `{"prompt":"é<","size":"720x1280","seconds":5.0,"fps":24,"num_inference_steps":20,"guidance_scale":1.0,` +
		`"guidance_scale_2":3.0,"seed":42,"num_frames":81,"boundary_ratio":0.875,"latent_path":"/l.pt",` +
		`"output_format":"auto","response_format":"video_path"}`; err != nil || string(r.EncodeBody()) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, r.EncodeBody(), want)
	}
}

func FuzzParseRow(f *testing.F) {
	f.Add([]byte(`{"prompt": "x", "fps": "24"}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		r, err := OfficialRequest().ParseRow(row)
		if err != nil {
			return
		}
		again, err := OfficialRequest().ParseRow(r.EncodeBody())
		if err != nil || string(again.EncodeBody()) != string(r.EncodeBody()) {
			t.Errorf("%s is read as %s: %v", r.EncodeBody(), again.EncodeBody(), err)
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"video_id":"v","video_path":"/o"}`))
	f.Add([]byte("....ftyp"))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := ParseAnswer(body)
		if err == nil && a.Path != "" && (a.Base64 != "" || a.Video != nil) {
			t.Errorf("%q is an answer with two videos", body)
		}
	})
}
