package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// counted has feature k of node v of type t as 1e6*t + 10*v + k.
type counted struct {
	nodes []graph.NodeType
	fault error
}

const width = 5

func newCounted() *counted {
	return &counted{nodes: []graph.NodeType{{Name: "author", Nodes: 3 * blockBytes / 4 / width}, {Name: "fos"},
		{Name: "paper", Nodes: 7}}}
}

func (c *counted) Types() []graph.NodeType { return c.nodes }
func (*counted) Width() int                { return width }

func (c *counted) Gather(_ context.Context, dst []float32, nodeType int, nodes []uint32) error {
	for i, v := range nodes {
		for k := range width {
			dst[i*width+k] = float32(1_000_000*nodeType + 10*int(v) + k)
		}
	}
	return c.fault
}

// filled is a folder with the file of servers that have been filled.
func filled(t *testing.T, servers ...*fake) string {
	t.Helper()
	dir := t.TempDir()
	if err := FillServers(t.Context(), dir, urls(servers), newCounted(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func urls(servers []*fake) (all []string) {
	for _, s := range servers {
		all = append(all, s.url)
	}
	return all
}

func opened(t *testing.T, dir string) *RemoteStore {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestWhatIsFilledIsGathered(t *testing.T) {
	for n := 1; n <= 3; n++ {
		servers := []*fake{newFake(t), newFake(t), newFake(t)}[:n]
		s, from := opened(t, filled(t, servers...)), newCounted()
		if s.Width() != width || !slices.Equal(s.Types(), from.nodes) {
			t.Errorf("width %d, types %v", s.Width(), s.Types())
		}
		var nodes []uint32
		for i := range uint32(maxPipelinedRows + 500) {
			nodes = append(nodes, i*7919%uint32(from.nodes[0].Nodes))
		}
		for nodeType, nodes := range [][]uint32{nodes, nil, {6, 0, 6}} {
			got, want := make([]float32, len(nodes)*width), make([]float32, len(nodes)*width)
			if err := errors.Join(s.Gather(t.Context(), got, nodeType, nodes),
				from.Gather(t.Context(), want, nodeType, nodes)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d servers: features of type %d differ: %v", n, nodeType, err)
			}
		}
		for i, server := range servers {
			if keys := server.keys(); keys < 2 || keys > 6/n+2 {
				t.Errorf("server %d of %d has %d keys", i+1, n, keys)
			}
		}
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !errors.Is(err, ErrFeatures) || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q", err, part)
		}
	}
}

func TestGatherRefuses(t *testing.T) {
	s, dst := opened(t, filled(t, newFake(t))), make([]float32, 2*width)
	wantError(t, s.Gather(t.Context(), dst, 2, []uint32{0, 7}), "node 7 at position 1, and there are 7 of type paper")
	wantError(t, s.Gather(t.Context(), dst, 3, []uint32{0, 1}), "2 nodes of type 3")
	wantError(t, s.Gather(t.Context(), dst, 0, []uint32{0}), "1 nodes of type 0 into room for 10 values")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Gather(ctx, dst, 0, []uint32{0, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a call that was called off", err)
	}
}

// TestServersThatForget names each server that has lost its memory, has another's, refuses or is gone.
func TestServersThatForget(t *testing.T) {
	a, b := newFake(t), newFake(t)
	dir := filled(t, a, b)
	s, dst := opened(t, dir), make([]float32, width)
	b.lose("author")
	wantError(t, s.Gather(t.Context(), dst, 0, []uint32{blockBytes / 4 / width}), strings.TrimPrefix(b.url, "redis://"),
		fmt.Sprintf("node %d of type author: it has 0 of 20 bytes: has it lost its memory",
			blockBytes/4/width))
	b.say("OOM nothing left")
	wantError(t, s.Gather(t.Context(), dst, 0, []uint32{blockBytes / 4 / width}), "OOM nothing left")
	b.say("")
	a.lose("")
	b.lose("")
	_, err := Open(t.Context(), dir)
	wantError(t, err, a.url[8:]+": it has no features named", b.url[8:]+": it has no features named")
}

func TestServersInAnotherOrder(t *testing.T) {
	a, b := newFake(t), newFake(t)
	dir := filled(t, a, b)
	p, err := readLocation(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(p.Servers)
	if err := p.saveFile(dir); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir)
	wantError(t, err, "it is server 1 of 2 of these features, and the file says server 2 of 2")
}

func TestAServerThatIsNotThere(t *testing.T) {
	err := FillServers(t.Context(), t.TempDir(), []string{"redis://me:secret@127.0.0.1:1"}, newCounted(), func(string) {})
	wantError(t, err, "server 127.0.0.1:1")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v shows the password", err)
	}
}

// TestAFillThatFailsLeavesNothing ends with the fault of a disk, of a server, and by a call.
func TestAFillThatFailsLeavesNothing(t *testing.T) {
	server, dir := newFake(t), t.TempDir()
	from := newCounted()
	from.fault = errors.New("disk gone")
	err := FillServers(t.Context(), dir, []string{server.url}, from, func(string) {})
	wantError(t, err, "disk gone")
	ctx, cancel := context.WithCancel(t.Context())
	err = FillServers(ctx, dir, []string{server.url}, newCounted(), func(line string) {
		if strings.HasPrefix(line, "paper") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a call that was called off", err)
	}
	if _, err := os.Stat(filepath.Join(dir, FileName)); server.keys() != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%d keys are left, and the file: %v", server.keys(), err)
	}
}

func TestThePlaceIsChecked(t *testing.T) {
	good := storeLocation{1, "N", []string{"redis://a", "rediss://u:p@b:7/3"}, newCounted().nodes, 4, 2}
	if err := good.checkLocation(); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	_, err := Open(t.Context(), dir)
	if wantError(t, err, FileName); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	for text, want := range map[string][]string{
		"{": {"unexpected EOF"},
		`{"format": 2, "width": 0, "types": [{"Name": "a", "Nodes": -1}]}`: {"format 2, want 1", "without a name",
			"blocks of 0 nodes of 0 features", `-1 nodes of type "a"`, "0 servers"},
		`{"servers": ["redis://a:b:c", "http://x", "redis://"]}`: {"server 1 is no redis://", "server 2", "server 3"},
		`{"color": 1}`:             {"unknown field"},
		strings.Repeat(" ", 2<<20): {"more than 1048576 bytes"},
	} {
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), dir)
		wantError(t, err, want...)
	}
	err = FillServers(t.Context(), dir, nil, newCounted(), nil)
	wantError(t, err, "0 servers, want 1 to 4096")
}

// FuzzPlace holds: a file is an error, or a place in which every block has a key and a server.
func FuzzPlace(f *testing.F) {
	text, err := json.Marshal(storeLocation{1, "N", []string{"redis://a"}, newCounted().nodes, 4, 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseLocation(text)
		if err != nil {
			return
		}
		for i, of := range p.Types {
			last := p.blockCount(i) - 1
			if last >= 0 && (last*p.Block >= of.Nodes || p.serverIndex(i, last) >= len(p.Servers)) {
				t.Error(fmt.Errorf("block %d of %+v", last, p))
			}
		}
	})
}
