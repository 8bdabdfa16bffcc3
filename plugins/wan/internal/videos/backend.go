package videos

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// VideoJob is a request with the path for its video.
type VideoJob struct {
	Body json.RawMessage `json:"body"`
	// File is the path, without extension, to which a video in an answer is written. Empty: there is no folder for videos.
	File string `json:"file,omitempty"`
	// Collect also copies videos to File that the server has saved elsewhere.
	Collect bool `json:"collect,omitempty"`
}

// jobField is the field of a prompt that contains the job.
const jobField = "plumbline_video"

// ToPrompt returns the prompt that backends of this package accept.
func (a VideoJob) ToPrompt(text string) (backend.Prompt, error) {
	field, err := json.Marshal(a)
	return backend.Prompt{Text: text, Fields: map[string]json.RawMessage{jobField: field}}, err
}

// readJob reads the job from a prompt.
func readJob(p *backend.Prompt) (a VideoJob, err error) {
	if err := json.Unmarshal(p.Fields[jobField], &a); err != nil {
		return a, fmt.Errorf("the prompt is no request for a video: %w", err)
	}
	return a, nil
}

// failurePrefix is the prefix of Tokens.Finish of an answer without a video. The reason follows.
const failurePrefix = "failed: "

// FailureReason returns the reason why an answer has no video, or "" if it has one. In that case, Tokens.Text is its
// path.
func FailureReason(t backend.Tokens) string {
	why, is := strings.CutPrefix(t.Finish, failurePrefix)
	if !is {
		return ""
	}
	return why
}

// videoMaker makes one video at a time. If only the current video fails, the error is a videoFailure, and the next
// video can be made.
type videoMaker interface {
	makeVideo(ctx context.Context, a VideoJob) (VideoAnswer, error)
	close() error
}

// videoFailure is an error that concerns one video.
type videoFailure struct{ error }

// videoGenerator distributes jobs to makers, each of which makes one video at a time.
type videoGenerator struct {
	idleMakers chan videoMaker
	makers     []videoMaker
	files      answerFiles // files that answers may name
	timeout    time.Duration
}

func newVideoGenerator(makers []videoMaker, from answerFiles, timeout time.Duration) *videoGenerator {
	g := &videoGenerator{idleMakers: make(chan videoMaker, len(makers)), makers: makers, files: from, timeout: timeout}
	for _, m := range makers {
		g.idleMakers <- m
	}
	return g
}

// Limits returns the number of makers as the concurrency.
func (g *videoGenerator) Limits() backend.Limits { return backend.Limits{Concurrency: len(g.makers)} }

// Generate makes a video. The answer is the path of its file, or the reason why there is none.
func (g *videoGenerator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	a, err := readJob(&p)
	if err != nil {
		return err
	}
	var m videoMaker
	select {
	case m = <-g.idleMakers:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { g.idleMakers <- m }()
	limited, cancel := context.WithTimeoutCause(ctx, g.timeout, fmt.Errorf("no answer for %v (option timeout)", g.timeout))
	defer cancel()
	path, err := runJob(limited, m, g.files, a)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if limited.Err() != nil && err != nil {
		err = videoFailure{context.Cause(limited)}
	}
	if one, is := errors.AsType[videoFailure](err); is {
		sink.Complete(backend.Tokens{Finish: failurePrefix + one.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	sink.Complete(backend.Tokens{Text: path, Finish: "stop"})
	return nil
}

// runJob makes a video and writes its file if the job requires it.
func runJob(ctx context.Context, m videoMaker, from answerFiles, a VideoJob) (path string, err error) {
	answer, err := m.makeVideo(ctx, a)
	if err != nil {
		return "", err
	}
	video := answer.Video
	if answer.Base64 != "" {
		if video, err = base64.StdEncoding.DecodeString(answer.Base64); err != nil {
			return "", videoFailure{fmt.Errorf("video_bytes: %w", err)}
		}
	}
	if answer.Path != "" {
		collect := a.File != "" && a.Collect
		if video, path, err = readNamedFile(from, answer.Path, collect); err != nil || !collect {
			return path, err
		}
	}
	switch {
	case len(video) == 0:
		return "", videoFailure{errors.New("the answer has an empty path, or an empty video")}
	case a.File == "":
		return "", errors.New("the server sends videos themselves: --param videos=FOLDER says where they are kept")
	}
	if err := CheckHead(video); err != nil {
		return "", videoFailure{fmt.Errorf("the answer's video: %w", err)}
	}
	path = a.File + FileEnding(video)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, writeFileAtomically(path, video)
}

// writeFileAtomically writes a file atomically, because a timed run requests the same video repeatedly.
func writeFileAtomically(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".video-*.tmp")
	if err != nil {
		return err
	}
	const readable = 0o644
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(readable), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// FileEnding returns the extension for a video, determined by its first bytes. The default is .mp4.
func FileEnding(video []byte) string {
	switch {
	case strings.HasPrefix(string(video[:min(len(video), 4)]), "GIF8"):
		return ".gif"
	case len(video) >= 12 && string(video[:4]) == "RIFF" && string(video[8:12]) == "AVI ":
		return ".avi"
	}
	return ".mp4"
}

func (g *videoGenerator) Close() error {
	var faults []error
	for _, m := range g.makers {
		faults = append(faults, m.close())
	}
	faults = append(faults, g.files.Close())
	return errors.Join(faults...)
}

// VideoBackend sends requests to servers, or to processes that it starts.
type VideoBackend struct{}

var (
	_ backend.GeneratorOpener = VideoBackend{}
	_ backend.Describer       = VideoBackend{}
)

type backendSettings struct {
	url, command, folder string
	concurrency          int
	timeout              time.Duration
}

// maxConcurrency limits the number of concurrent videos.
const maxConcurrency = 1024

func (s *backendSettings) optionList() option.List {
	return option.List{
		option.Text("url", &s.url, "address of a server with the video API: http://HOST:PORT, to which "+APIPath+
			" is added"),
		option.Text("command", &s.command, "instead of url: a command, split at blanks, that reads each request as a line "+
			"of JSON and prints the path of the video file on a line"),
		option.Text("folder", &s.folder, "local folder that must contain the videos whose paths are returned; without it "+
			"a server may not return paths, and a process may return any path"),
		option.Int("concurrency", &s.concurrency, 1, maxConcurrency, "concurrent requests, each with its own process").
			WithDefault("1"),
		option.Duration("timeout", &s.timeout, "maximum time for a video; after it the video has failed").
			WithDefault("1h"),
	}
}

// Describe lists the options.
func (VideoBackend) Describe() backend.Info {
	s := backendSettings{concurrency: 1, timeout: time.Hour}
	return backend.Info{Version: "API of videos, and processes", Options: s.optionList().Docs()}
}

// Open returns an error, because video makers have no tensors.
func (VideoBackend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, errors.New("backend video has videos made, and runs no model")
}

// OpenGenerator reads the options. Processes are started at once; servers are contacted for the first video.
func (VideoBackend) OpenGenerator(_ context.Context, _ backend.Model, c backend.Config) (backend.Generator, error) {
	s := backendSettings{concurrency: 1, timeout: time.Hour}
	err := s.optionList().Read(c.Options)
	if err == nil && (s.url == "") == (s.command == "") {
		err = fmt.Errorf("%w: give url or command: the address of a server, or a process to start", backend.ErrOption)
	}
	if err != nil {
		return nil, err
	}
	if s.timeout <= 0 {
		return nil, fmt.Errorf("%w: timeout = %v, want above 0", backend.ErrOption, s.timeout)
	}
	from, err := s.openFiles()
	if err != nil {
		return nil, fmt.Errorf("%w: folder = %q: %w", backend.ErrOption, s.folder, err)
	}
	var all []videoMaker
	for range s.concurrency {
		m, err := s.openMaker()
		if err != nil {
			return nil, errors.Join(err, newVideoGenerator(all, from, s.timeout).Close())
		}
		all = append(all, m)
	}
	return newVideoGenerator(all, from, s.timeout), nil
}

func (s *backendSettings) openFiles() (answerFiles, error) {
	switch {
	case s.folder != "":
		return openFolderFiles(s.folder)
	case s.command != "":
		return anyFiles{}, nil
	}
	return noFiles{}, nil
}

func (s *backendSettings) openMaker() (videoMaker, error) {
	if s.command != "" {
		return startProcess(strings.Fields(s.command))
	}
	return newVideoServer(s.url)
}
