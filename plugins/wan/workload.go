package wan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// videoWorkload is the benchmark with one set of prompts.
type videoWorkload struct {
	videoSettings
	file            backend.Model
	prompts         []videos.VideoRequest
	names           []string
	accuracy        bool
	embeddedPrompts bool // prompts are the embedded ones
	drawn           bool // drawn by the stand-in

	mu     sync.Mutex
	failed []string // failed videos with the reasons
}

var (
	_ sdk.GenerativeOf[*videoSample] = (*videoWorkload)(nil)
	_ sdk.WorkloadInfoAdder          = (*videoWorkload)(nil)
	_ sdk.Noter                      = (*videoWorkload)(nil)
	_ sdk.ClientWorker               = (*videoWorkload)(nil)
)

// videoSample is the request for a prompt.
type videoSample struct {
	index  int // -1 for the warm-up
	prompt string
	job    videos.VideoJob
}

func newVideoWorkload(r *manifest.Request, s videoSettings, prompts []videos.VideoRequest) *videoWorkload {
	w := &videoWorkload{videoSettings: s, file: r.File(), prompts: prompts, names: fileNames(prompts),
		accuracy: r.Use == sdk.UseAccuracy, embeddedPrompts: r.Dataset == "",
		drawn: r.Backend == videos.StandInName || r.Backend == ""}
	r.AddFault(sdk.Data(checkFileNames(prompts)))
	return w
}

func (w *videoWorkload) Len() int          { return len(w.prompts) }
func (w *videoWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }
func (w *videoWorkload) Close() error      { return nil }

// Load makes the request for prompt i.
func (w *videoWorkload) Load(_ context.Context, i int) (*videoSample, error) {
	return w.makeSample(i, w.prompts[i], w.names[i]), nil
}

func (w *videoWorkload) makeSample(i int, r videos.VideoRequest, name string) *videoSample {
	s := &videoSample{index: i, prompt: r.Prompt, job: videos.VideoJob{Body: r.EncodeBody(), Collect: w.accuracy}}
	if w.folder != "" {
		s.job.File = filepath.Join(w.folder, name)
	}
	return s
}

// WarmSample returns a prompt that occurs in no data set.
func (w *videoWorkload) WarmSample() *videoSample {
	r := w.request
	r.Prompt = "grey"
	return w.makeSample(-1, r, ".warm-up")
}

// Prompt returns the request.
func (w *videoWorkload) Prompt(s *videoSample) (backend.Prompt, error) {
	return s.job.ToPrompt(s.prompt)
}

// AppendTokens appends the path of a video, or its digest. In an accuracy run, a failed video has an empty payload, so
// that other videos still count. In a timed run it ends the run, because the result would count the failed video.
func (w *videoWorkload) AppendTokens(dst []byte, s *videoSample, t backend.Tokens) ([]byte, int, error) {
	why := videos.FailureReason(t)
	if why == "" && w.digest {
		sum, err := fileDigest(t.Text)
		if err != nil {
			why = err.Error()
		}
		t.Text = sum
	}
	switch {
	case why == "":
		return append(dst, t.Text...), 0, nil
	case !w.accuracy || s.index < 0:
		return dst, 0, sdk.Data(fmt.Errorf("no video of prompt %d, %q: %s", s.index, s.prompt, why))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = append(w.failed, fmt.Sprintf("prompt %d has no video (%q): %s", s.index, s.prompt, why))
	return dst, 0, nil
}

// fileDigest returns the SHA-256 of a file in hex.
func fileDigest(path string) (sum string, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// maxListedFailures limits the number of failures that are listed.
const maxListedFailures = 20

// RunNotes returns notes about failed videos.
func (w *videoWorkload) RunNotes() (m sdk.RunNotes) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.failed)
	m.Notes = slices.Clone(w.failed[:min(len(w.failed), maxListedFailures)])
	if more := len(w.failed) - maxListedFailures; more > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d more have none", more))
	}
	return m
}

// AddInfo adds a description of the requests, and removes the stand-in's label if a server or a process makes the
// videos.
func (w *videoWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["size"] = w.request.Size
	if !w.drawn {
		info.AtServer()
	}
	if w.embeddedPrompts {
		return // the rules do not apply to these prompts
	}
	info.OpenReasons = append(info.OpenReasons, w.openReasons()...)
	if n := len(w.prompts); n != officialPrompts {
		info.OpenReasons = append(info.OpenReasons, fmt.Sprintf("the data set has %d prompts, the official one %d", n,
			officialPrompts))
	}
}

// ClientWork returns nothing: requests are made before the run, and videos are stored unchanged.
func (w *videoWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string { return nil }
