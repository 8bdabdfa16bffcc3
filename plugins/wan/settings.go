package wan

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// videoSettings contains the parameters of videos.
type videoSettings struct {
	requestSettings
	request videos.VideoRequest // settings without the prompt
	folder  string              // absolute path of the folder of videos; empty: none
	digest  bool                // the log contains the SHA-256 of a video's file instead of its path
	VBench  string              `param:"vbench"`
	Scale   resultScale         `param:"scale" choices:"auto,share,percent"`
}

// requestSettings contains the parameters of requests and of storing videos.
type requestSettings struct {
	Size         string        `param:"size"`
	Seconds      float64       `param:"seconds" min:"0" max:"3600"`
	FPS          int           `param:"fps" min:"1" max:"int32"`
	Steps        int           `param:"steps" min:"1" max:"int32"`
	Guidance     float64       `param:"guidance" min:"0" max:"1000"`
	Guidance2    float64       `param:"guidance_2" min:"0" max:"1000"`
	Seed         int           `param:"seed" min:"0" max:"int32"`
	Frames       int           `param:"frames" min:"1" max:"int32"`
	Boundary     float64       `param:"boundary" min:"0" max:"1"`
	Latent       string        `param:"latent"`
	Payload      payloadChoice `param:"payload" choices:"auto,path,sha256"`
	RequestBytes bool          `param:"response" choices:"path,bytes"` // request the content instead of a path
	Output       string        `param:"output" choices:"auto,mp4,avi"`
	// set by the manifest; it does not affect requests
	Form     string `param:"form" choices:"endpoints,loadgen"`
	Videos   string `param:"videos"`   // path of a folder; empty: none
	Negative string `param:"negative"` // path of a file with a prompt; empty: none
}

// payloadChoice is the content of the log for a video.
type payloadChoice uint8

const (
	// the SHA-256 for embedded prompts, whose files are part of the run; otherwise the path
	anyPayload payloadChoice = iota
	asPath
	asSum
)

// resultScale is the scale of VBench's results.
type resultScale uint8

const (
	anyScale   resultScale = iota
	shareScale             // 0 to 1
	percentScale
)

// maxPromptBytes limits the size of a negative prompt in bytes.
const maxPromptBytes = 1 << 16

func readSettings(r *manifest.Request) videoSettings {
	var s videoSettings
	r.Bind(&s, option.ReaderFunc("size", parseSize))
	a := &s.requestSettings
	number := func(n int) json.Number { return json.Number(strconv.Itoa(n)) }
	s.request = videos.VideoRequest{
		Size: a.Size, Seconds: a.Seconds, FPS: number(a.FPS), Steps: number(a.Steps), Guidance: a.Guidance,
		Guidance2: a.Guidance2, Seed: number(a.Seed), Frames: number(a.Frames), Boundary: a.Boundary, LatentPath: a.Latent,
		OutputFormat: a.Output, ResponseFormat: videos.PathFormat,
	}
	if a.RequestBytes {
		s.request.ResponseFormat = videos.BytesFormat
	}
	s.digest = a.Payload == asSum || a.Payload == anyPayload && r.Dataset == ""
	var err error
	if a.Videos != "" {
		if s.folder, err = filepath.Abs(a.Videos); err != nil {
			r.Params.AddFault("videos", err)
		}
	}
	if a.Negative != "" && !r.Scoring {
		text, err := bounded.ReadFile(a.Negative, maxPromptBytes)
		if err != nil {
			r.Params.AddFault("negative", err)
		}
		s.request.NegativePrompt = strings.TrimSpace(string(text))
	}
	return s
}

// parseSize parses WIDTHxHEIGHT.
func parseSize(text string) (string, error) {
	width, height, ok := strings.Cut(text, "x")
	w, err1 := strconv.Atoi(width)
	h, err2 := strconv.Atoi(height)
	if !ok || errors.Join(err1, err2) != nil || w < 1 || h < 1 {
		return "", fmt.Errorf("%q, want WIDTHxHEIGHT in pixels, as 1280x720", text)
	}
	return text, nil
}

// officialRequest returns the settings that the rules prescribe, without a prompt.
func officialRequest() videos.VideoRequest {
	r := videos.OfficialRequest()
	r.Size = "1280x720"
	return r
}

// openReasons returns the reasons why a run does not belong to the closed division, as phrases.
func (s *videoSettings) openReasons() []string {
	var reasons []string
	own, rules := s.request, officialRequest()
	differ := func(what string, same bool) {
		if !same {
			reasons = append(reasons, "the rules have another "+what)
		}
	}
	differ("number of frames (81) or length (5 s at 16 a second)",
		own.Frames == rules.Frames && own.FPS == rules.FPS && own.Seconds == rules.Seconds)
	differ("number of denoising steps (20)", own.Steps == rules.Steps)
	differ("guidance (4, 3 from a boundary of 0.875 on)",
		own.Guidance == rules.Guidance && own.Guidance2 == rules.Guidance2 && own.Boundary == rules.Boundary)
	differ("seed (42)", own.Seed == rules.Seed)
	differ("size (1280x720; 720x1280 as the endpoints harness asks for it)",
		own.Size == rules.Size || own.Size == videos.OfficialRequest().Size)
	if own.NegativePrompt == "" {
		reasons = append(reasons, "no negative prompt is sent (parameter negative)")
	}
	return reasons
}
