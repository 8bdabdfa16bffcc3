package wan

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/wan/videos"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters.
type settings struct {
	request videos.Request // but for its prompt
	folder  string         // of videos, absolute; empty: none
	digest  bool           // the log has the SHA-256 of a video's file, and not its path
	vbench  string
	scale   scale
}

// scale is that of VBench's results.
type scale uint8

const (
	anyScale scale = iota
	share          // 0 to 1
	percent
)

// longestPrompt bounds what is read of a negative prompt.
const longestPrompt = 1 << 16

func readSettings(r *manifest.Request) settings {
	p := r.Params
	number := func(name string, least int) json.Number {
		return json.Number(strconv.Itoa(p.Int(name, least, math.MaxInt32)))
	}
	s := settings{
		request: videos.Request{
			Size: option.Parse(p, "size", parseSize), Seconds: p.Float("seconds", 0, 3600), FPS: number("fps", 1),
			Steps: number("steps", 1), Guidance: p.Float("guidance", 0, 1000), Guidance2: p.Float("guidance_2", 0, 1000),
			Seed: number("seed", 0), Frames: number("frames", 1), Boundary: p.Float("boundary", 0, 1),
			LatentPath: p.Text("latent"), OutputFormat: p.Text("output"),
		},
		digest: option.Pick(p, "payload", map[string]bool{"auto": r.Dataset == "", "path": false, "sha256": true}),
		vbench: p.Text("vbench"),
		scale:  option.Pick(p, "scale", map[string]scale{"auto": anyScale, "share": share, "percent": percent}),
	}
	s.request.ResponseFormat = option.Pick(p, "response", map[string]string{
		"path": videos.PathFormat, "bytes": videos.BytesFormat,
	})
	s.request.OutputFormat = option.Pick(p, "output", map[string]string{"auto": "auto", "mp4": "mp4", "avi": "avi"})
	option.Pick(p, "form", map[string]bool{"endpoints": true, "loadgen": true}) // the manifest's: it changes no request
	var err error
	if folder := p.Text("videos"); folder != "" {
		if s.folder, err = filepath.Abs(folder); err != nil {
			p.Fault("videos", err)
		}
	}
	if path := p.Text("negative"); path != "" && !r.Scoring {
		text, err := bounded.ReadFile(path, longestPrompt)
		if err != nil {
			p.Fault("negative", err)
		}
		s.request.NegativePrompt = strings.TrimSpace(string(text))
	}
	return s
}

// parseSize reads WIDTHxHEIGHT.
func parseSize(text string) (string, error) {
	width, height, ok := strings.Cut(text, "x")
	w, err1 := strconv.Atoi(width)
	h, err2 := strconv.Atoi(height)
	if !ok || errors.Join(err1, err2) != nil || w < 1 || h < 1 {
		return "", fmt.Errorf("%q, want WIDTHxHEIGHT in pixels, as 1280x720", text)
	}
	return text, nil
}

// official are the settings that the rules fix, but for the prompts.
func official() videos.Request {
	r := videos.Official()
	r.Size = "1280x720"
	return r
}

// open says, a phrase each, what keeps a run from the closed division.
func (s *settings) open() []string {
	var reasons []string
	own, rules := s.request, official()
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
		own.Size == rules.Size || own.Size == videos.Official().Size)
	if own.NegativePrompt == "" {
		reasons = append(reasons, "no negative prompt is sent (parameter negative)")
	}
	return reasons
}
