package cli

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// serve is a server of one file; it returns the file's address.
func serve(t *testing.T, contents string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, contents) }))
	t.Cleanup(server.Close)
	return server.URL + "/file"
}

func sum(contents string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(contents))) }

func TestFetch(t *testing.T) {
	s := newShell(t)
	model := &s.fakes["resnet50"].Description.Models[0]
	model.Files[2].URL, model.Files[2].SHA256, model.Files[2].Size = serve(t, "weights"), sum("weights"), 7
	s.want(6, s.run("fetch", "resnet50", "--offline"), "resnet50_v1.onnx", s.env["PLUMBLINE_CACHE"], sum("weights"))
	s.want(0, s.run("fetch", "resnet50"), "verified    resnet50_v1.onnx", "by hand     imagenet  its licence forbids downloading")
	s.want(0, s.run("fetch", "resnet50", "--offline"), "verified")
	s.want(0, s.run("run", "resnet50", "--model", "resnet50_v1.onnx", "--mode", "accuracy", "--smoke", "--out", s.out()), "no target")
	if got := s.fakes["resnet50"].Opened()[0].ModelFile; got != s.env["PLUMBLINE_CACHE"]+"/models/resnet50/resnet50_v1.onnx" {
		t.Errorf("opened %s, want the fetched file", got)
	}
}

func TestFetchUnverified(t *testing.T) {
	s := newShell(t)
	file := &s.fakes["resnet50"].Description.Models[0].Files[2]
	file.URL, file.Size = serve(t, "weights"), 0
	s.want(0, s.run("fetch", "resnet50"), "unverified  resnet50_v1.onnx", "no sha256 is known")
}

func TestFetchFaults(t *testing.T) {
	s := newShell(t)
	model := &s.fakes["resnet50"].Description.Models[0]
	model.Files[2].URL, model.Files[2].SHA256, model.Files[2].Size = serve(t, "wrong"), sum("weights"), 0
	model.Datasets[1].Archives = []sdk.ArchiveFile{{Name: "labels", URL: serve(t, "labels"), SHA256: sum("labels")}}
	s.want(6, s.run("fetch", "resnet50"), sum("weights"), "verified    labels")
	s.want(0, s.run("fetch", "resnet50", "--file", "labels"), "labels")
	s.want(2, s.run("fetch", "resnet50", "--file", "lables"), "did you mean \"labels\"?")
	s.want(2, s.run("fetch", "bert"), "unknown model")
}

func TestFetchWithoutCacheFolder(t *testing.T) {
	s := newShell(t)
	s.env["PLUMBLINE_CACHE"] = ""
	s.want(2, s.run("fetch", "resnet50"), "PLUMBLINE_CACHE")
}
