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
)

// place is a folder that a user names, and a secret beside it.
func place(t *testing.T) (folder, secret string) {
	t.Helper()
	root := t.TempDir()
	folder, secret = filepath.Join(root, "videos"), filepath.Join(root, "secret.mp4")
	for _, dir := range []string{"videos/below", "videos-not"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"secret.mp4": someMP4 + " secret", "videos-not/v.mp4": someMP4 + " secret", "videos/v.mp4": someMP4,
		"videos/below/v.mp4": someMP4, "videos/text.mp4": "a private key, say, of 40 bytes and more",
		"videos/short.mp4": "no", "videos/empty.mp4": "", "videos/zeros.mp4": strings.Repeat("\x00", 64),
	} {
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"inside.mp4": "v.mp4", "outside.mp4": "../secret.mp4", "absolute.mp4": secret, "loop.mp4": "loop.mp4",
		"up": "..", "twice.mp4": "up/secret.mp4", "device.mp4": "/dev/zero",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	sparse, err := os.Create(filepath.Join(folder, "sparse.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.WriteString(someMP4); err != nil {
		t.Fatal(err)
	}
	if err := sparse.Truncate(6 << 30); err != nil {
		t.Skip(err)
	}
	if err := sparse.Close(); err != nil {
		t.Fatal(err)
	}
	makePipe(t, filepath.Join(folder, "pipe.mp4"))
	return folder, secret
}

// TestFilesThatServersName: of all files that a server names those come in that are videos below the folder.
func TestFilesThatServersName(t *testing.T) {
	folder, secret := place(t)
	root := filepath.Dir(folder)
	link := filepath.Join(root, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	const notBelow, escapes = "is not below", "escapes"
	for name, x := range map[string]struct {
		named string
		fault string // empty: it is taken
	}{
		"a video":                       {filepath.Join(folder, "v.mp4"), ""},
		"below":                         {filepath.Join(folder, "below", "v.mp4"), ""},
		"relative":                      {"below/v.mp4", ""},
		"dots that stay below":          {"below/../v.mp4", ""},
		"a link that stays below":       {"inside.mp4", ""},
		"the folder by another path":    {filepath.Join(link, "v.mp4"), ""},
		"absolute":                      {secret, notBelow},
		"the system's":                  {"/etc/passwd", notBelow},
		"dots":                          {"../secret.mp4", notBelow},
		"dots behind the folder":        {folder + "/../secret.mp4", notBelow},
		"many dots":                     {strings.Repeat("../", 40) + "etc/passwd", notBelow},
		"dots behind a link":            {"up/secret.mp4", escapes},
		"a folder whose name is longer": {root + "/videos-not/v.mp4", notBelow},
		"a link out":                    {"outside.mp4", escapes},
		"an absolute link out":          {"absolute.mp4", escapes},
		"a link through a link":         {"twice.mp4", escapes},
		"a link to a device":            {"device.mp4", escapes},
		"a link to itself":              {"loop.mp4", "too many"},
		"file:":                         {"file://" + secret, "is an address"},
		"http:":                         {"http://127.0.0.1/v.mp4", "is an address"},
		"a pipe":                        {"pipe.mp4", "no regular file"},
		"a device":                      {"/dev/zero", notBelow},
		"the folder":                    {folder, "no regular file"},
		"a folder":                      {"below", "no regular file"},
		"larger than any video":         {"sparse.mp4", "want 268435456 at most"},
		"text":                          {"text.mp4", "does not begin as a video does"},
		"zeros":                         {"zeros.mp4", "does not begin as a video does"},
		"short":                         {"short.mp4", "2 bytes are no video"},
		"empty":                         {"empty.mp4", "is empty"},
		"a zero byte":                   {"v.mp4\x00", "invalid"},
		"a number of a descriptor":      {"/dev/fd/0", notBelow},
		"this process":                  {"/proc/self/environ", notBelow},
		"nothing there":                 {"none.mp4", "no such file"},
	} {
		for _, collect := range []bool{false, true} {
			kept := filepath.Join(t.TempDir(), "kept")
			server := answering(t, http.StatusOK, fmt.Sprintf(`{"video_id":"v","video_path":%s}`, quoted(x.named)))
			path, why, err := ask(t, map[string]string{"url": server, "folder": folder}, VideoJob{File: kept, Collect: collect})
			if err != nil || !strings.Contains(why, x.fault) || (why == "") != (x.fault == "") {
				t.Errorf("%s, collected %v: %q, %q, %v, want %q", name, collect, path, why, err, x.fault)
			}
			if strings.Contains(why, "private") {
				t.Errorf("%s: the file's text is told: %s", name, why)
			}
			text, err := os.ReadFile(kept + ".mp4")
			if there := err == nil; there != (collect && x.fault == "") || strings.Contains(string(text), "secret") {
				t.Errorf("%s, collected %v: %q is kept, %v", name, collect, text, err)
			}
		}
	}
}

// TestNoFolderNamed: a server may name no file at all, which ends the run with what to do.
func TestNoFolderNamed(t *testing.T) {
	_, secret := place(t)
	server := answering(t, http.StatusOK, fmt.Sprintf(`{"video_id":"v","video_path":%s}`, quoted(secret)))
	_, _, err := ask(t, map[string]string{"url": server}, VideoJob{File: filepath.Join(t.TempDir(), "v"), Collect: true})
	if err == nil || !strings.Contains(err.Error(), "--backend-opt folder=FOLDER") {
		t.Errorf("%v, want the option that names a folder", err)
	}
}

// TestVideosThatAreNone: what comes itself has to begin as a video does, too.
func TestVideosThatAreNone(t *testing.T) {
	for name, text := range map[string]string{"text": "a private key, say, of 40 bytes and more", "short": "GIF8"} {
		server := answering(t, http.StatusOK, fmt.Sprintf(`{"video_id":"v","video_bytes":"%s"}`,
			base64.StdEncoding.EncodeToString([]byte(text))))
		_, why, err := ask(t, map[string]string{"url": server}, VideoJob{File: filepath.Join(t.TempDir(), "v")})
		if err != nil || !strings.Contains(why, "video") {
			t.Errorf("%s: %q, %v", name, why, err)
		}
	}
}

func TestHeads(t *testing.T) {
	for name, x := range map[string]struct {
		head string
		want bool
	}{
		"MP4": {someMP4, true}, "QuickTime": {"\x00\x00\x00\x08wide\x00\x00\x00\x00mdat", true},
		"GIF": {"GIF89a......", true}, "old GIF": {"GIF87a......", true}, "AVI": {"RIFF\x00\x00\x00\x00AVI LIST", true},
		"WebM": {"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81", true}, "WAV": {"RIFF\x00\x00\x00\x00WAVEfmt ", false},
		"ELF": {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", false}, "PNG": {"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d", false},
		"a key": {"-----BEGIN OPENSSH PRIVATE KEY-----", false}, "JSON": {`{"a":"ftyp", "b":1}`, false}, "empty": {"", false},
	} {
		if err := CheckHead([]byte(x.head)); (err == nil) != x.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRedirects: no other address is asked than the one that was given.
func TestRedirects(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{other.URL + "/other", "file:///etc/passwd", "/v1/elsewhere"} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != APIPath {
					t.Errorf("%s was asked", r.URL.Path)
				}
				w.Header().Set("Location", to)
				w.WriteHeader(code)
			}))
			_, why, err := ask(t, map[string]string{"url": server.URL}, VideoJob{})
			server.Close()
			if err != nil || !strings.Contains(why, "is not followed") || asked {
				t.Errorf("%d to %s: %q, %v, another asked: %v", code, to, why, err, asked)
			}
		}
	}
}

// TestEndlessAnswers: a failure's text ends at its limit. (A video's does by the same reader, at 358 MB.)
func TestEndlessAnswers(t *testing.T) {
	for _, code := range []int{404, 500, 204} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}))
		_, why, err := ask(t, map[string]string{"url": server.URL}, VideoJob{})
		server.Close()
		if err != nil || !strings.HasPrefix(why, fmt.Sprint(code)) || len(why) > 1000 {
			t.Errorf("%d: %.100q, %v", code, why, err)
		}
	}
}

// answering is the address of a server that always answers the same.
func answering(t *testing.T, code int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body)) // a client that is gone needs none
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// quoted is a text in JSON.
func quoted(text string) string { return strings.ReplaceAll(fmt.Sprintf("%q", text), `\x00`, `\u0000`) }
