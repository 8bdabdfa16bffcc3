package videos

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

type sink struct{ answer backend.Tokens }

func (s *sink) FirstToken(backend.Tokens) {}
func (s *sink) Complete(t backend.Tokens) { s.answer = t }

// ask has a backend make a video.
func ask(t *testing.T, options map[string]string, a VideoJob) (path, failure string, err error) {
	t.Helper()
	g, err := VideoBackend{}.OpenGenerator(t.Context(), backend.Model{}, backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := OfficialRequest()
	r.Prompt = "a fox"
	a.Body = r.EncodeBody()
	p, err := a.ToPrompt(r.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	var s sink
	if err := g.Generate(t.Context(), p, &s); err != nil {
		return "", "", err
	}
	return s.answer.Text, FailureReason(s.answer), nil
}

const someMP4 = "\x00\x00\x00\x18ftypmp42 and more"

// TestServer: each form of an answer gives a file, and each fault a failure that is named.
func TestServer(t *testing.T) {
	dir := t.TempDir()
	there, empty := filepath.Join(dir, "there.mp4"), filepath.Join(dir, "empty.mp4")
	for path, text := range map[string]string{there: someMP4, empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(key, value string) string { return fmt.Sprintf(`{"video_id":"v",%q:%q}`, key, value) }
	kept := filepath.Join(dir, "kept", "a fox-0")
	for _, c := range []struct {
		name, body string
		status     int
		ask        VideoJob
		path       string
		failure    string
	}{
		{"path", answer("video_path", there), 200, VideoJob{File: kept}, there, ""},
		{"path, collected", answer("video_path", there), 200, VideoJob{File: kept, Collect: true}, kept + ".mp4", ""},
		{"bytes", answer("video_bytes", base64.StdEncoding.EncodeToString([]byte("GIF89a and more"))), 200,
			VideoJob{File: kept}, kept + ".gif", ""},
		{"the file itself", someMP4, 200, VideoJob{File: kept}, kept + ".mp4", ""},
		{"no file", answer("video_path", filepath.Join(dir, "none")), 200, VideoJob{}, "", "no such file"},
		{"an empty file", answer("video_path", empty), 200, VideoJob{}, "", "is empty"},
		{"a folder", answer("video_path", dir), 200, VideoJob{}, "", "no regular file"},
		{"no video", answer("video_bytes", ""), 200, VideoJob{File: kept}, "", "empty"},
		{"another key", `{"video_id":"v","video_path":"/v","seconds":5}`, 200, VideoJob{}, "", "seconds"},
		{"prose", "I cannot do that.", 200, VideoJob{}, "", "I cannot"},
		{"a failure", "out of memory", 500, VideoJob{}, "", "500 Internal Server Error: \"out of memory\""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != APIPath || r.Method != http.MethodPost {
				t.Errorf("%s %s", r.Method, r.URL.Path)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body)) // a client that is gone needs none
		}))
		path, failure, err := ask(t, map[string]string{"url": server.URL + "/v1/", "folder": dir}, c.ask)
		server.Close()
		if err != nil || path != c.path || !strings.Contains(failure, c.failure) || (failure == "") != (c.failure == "") {
			t.Errorf("%s: %q, %q, %v", c.name, path, failure, err)
		}
	}
	if text, err := os.ReadFile(kept + ".mp4"); err != nil || string(text) != someMP4 {
		t.Errorf("%q, %v", text, err)
	}
}

// TestServerThatHangs: the video fails when its time is up; one whose server is not there fails at once.
func TestServerThatHangs(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	_, failure, err := ask(t, map[string]string{"url": server.URL, "timeout": "50ms"}, VideoJob{})
	if err != nil || !strings.Contains(failure, "no answer for 50ms") {
		t.Errorf("%q, %v", failure, err)
	}
	_, failure, err = ask(t, map[string]string{"url": "http://127.0.0.1:1"}, VideoJob{})
	if err != nil || !strings.Contains(failure, "refused") {
		t.Errorf("%q, %v", failure, err)
	}
}

// TestBytesWithoutFolder: videos that come themselves need a folder; that is no failure of one of them.
func TestBytesWithoutFolder(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(someMP4)) // a client that is gone needs none
	}))
	defer server.Close()
	if _, _, err := ask(t, map[string]string{"url": server.URL}, VideoJob{}); err == nil ||
		!strings.Contains(err.Error(), "--param videos=FOLDER") {
		t.Error(err)
	}
}

// script is a program in the shell's language.
func script(t *testing.T, text string) string {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	path := filepath.Join(t.TempDir(), "make-videos")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "v.mp4")
	for _, c := range []struct{ name, text, path, failure, fault string }{
		{"well", "while read -r line; do printf 'xxxxftyp%s' \"$line\" > " + made + "; echo " + made + "; done", made, "",
			""},
		{"an empty line", "while read -r line; do echo; done", "", "empty line", ""},
		{"no file", "while read -r line; do echo /nowhere/v.mp4; done", "", "no such file", ""},
		{"it ends", "read -r line; echo no memory >&2; exit 3", "", "", "no memory"},
		{"it hangs", "read -r line; exec sleep 1000", "", "no answer for 300ms", ""},
	} {
		options := map[string]string{"command": script(t, c.text)}
		if c.name == "it hangs" {
			options["timeout"] = "300ms"
		}
		path, failure, err := ask(t, options, VideoJob{})
		if path != c.path || !strings.Contains(failure, c.failure) || (err == nil) != (c.fault == "") ||
			err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %q, %q, %v", c.name, path, failure, err)
		}
	}
	if text, err := os.ReadFile(made); err != nil || !strings.HasPrefix(string(text), `xxxxftyp{"prompt":"a fox","size"`) {
		t.Errorf("the process was asked %q, %v", text, err)
	}
}

func TestOptions(t *testing.T) {
	for _, options := range []map[string]string{
		{}, {"url": "http://a", "command": "b"}, {"url": "a"}, {"url": "ftp://a"}, {"url": "http://a", "concurrency": "0"},
		{"url": "http://a", "folder": "/nowhere"}, {"url": "http://a", "timeout": "0"},
		{"url": "http://a", "colour": "red"}, {"command": "/nowhere/program"},
	} {
		if g, err := (VideoBackend{}).OpenGenerator(t.Context(), backend.Model{},
			backend.Config{Options: options}); err == nil {
			t.Errorf("%v is taken", options)
			_ = g.Close()
		}
	}
	other := backend.Model{Bytes: []byte("{}")}
	if _, err := (StandIn{}).OpenGenerator(t.Context(), other, backend.Config{}); err == nil ||
		!strings.Contains(err.Error(), "--backend video") {
		t.Errorf("another model is taken for the stand-in: %v", err)
	}
}
