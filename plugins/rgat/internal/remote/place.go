package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// ErrFeatures is in the chain of every error of this package.
var ErrFeatures = errors.New("features at servers")

// FileName is the file that says where features are.
const FileName = "features.json"

// fileFormat is that of the file and of the keys at servers.
const fileFormat = 1

// storeLocation says where features are, and which: the content of the file.
type storeLocation struct {
	Format  int              `json:"format"`
	Name    string           `json:"name"` // of these features: no others have it
	Servers []string         `json:"servers"`
	Types   []graph.NodeType `json:"types"`
	Width   int              `json:"width"`
	Block   int              `json:"block"` // nodes of one key
}

// The most that a file may say: a row is one value of Redis, of at most 512 MB, and so is a block.
const (
	maxNodes      = 1 << 32
	maxBlockBytes = 512 << 20
	maxServers    = 4096
	maxFileBytes  = 1 << 20
)

// readPlace reads the file in the folder dir.
func readPlace(dir string) (*storeLocation, error) {
	path := filepath.Join(dir, FileName)
	text, err := bounded.ReadFile(path, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFeatures, err)
	}
	p, err := parsePlace(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFeatures, path, err)
	}
	return p, nil
}

func parsePlace(text []byte) (*storeLocation, error) {
	p := new(storeLocation)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, err
	}
	return p, p.checkLocation()
}

// checkLocation names every fault.
func (p *storeLocation) checkLocation() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if p.Format != fileFormat {
		fault("format %d, want %d", p.Format, fileFormat)
	}
	if p.Name == "" {
		fault("features without a name")
	}
	if p.Width < 1 || p.Block < 1 || p.Width > maxBlockBytes/4 || p.Block > maxBlockBytes/4/p.Width {
		fault("blocks of %d nodes of %d features, want at least one of each and %d bytes at most", p.Block, p.Width,
			maxBlockBytes)
	}
	for _, t := range p.Types {
		if t.Nodes < 0 || t.Nodes > maxNodes {
			fault("%d nodes of type %q, want 0 to %d", t.Nodes, t.Name, maxNodes)
		}
	}
	return errors.Join(append(faults, CheckServers(p.Servers))...)
}

// CheckServers wants addresses of servers, redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS. No
// error shows a password.
func CheckServers(servers []string) error {
	if len(servers) == 0 || len(servers) > maxServers {
		return fmt.Errorf("%d servers, want 1 to %d", len(servers), maxServers)
	}
	var faults []error
	for i, s := range servers {
		if _, err := newServer(s); err != nil {
			faults = append(faults, fmt.Errorf("server %d is %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

// saveFile writes the file into dir, for its owner alone: addresses may hold passwords.
func (p *storeLocation) saveFile(dir string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, FileName), append(text, '\n'), 0o600)
}

// markerKey is the key at every server that has been filled, and its value there.
func (p *storeLocation) markerKey(server int) (key, value string) {
	return "plumbline:" + p.Name, fmt.Sprintf("server %d of %d", server+1, len(p.Servers))
}

// blockKey is that of a block of a type.
func (p *storeLocation) blockKey(nodeType, block int) string {
	return "plumbline:" + p.Name + ":" + p.Types[nodeType].Name + ":" + strconv.Itoa(block)
}

// serverOf is where a block of a type is.
func (p *storeLocation) serverOf(nodeType, block int) int { return (nodeType + block) % len(p.Servers) }

// firstBlock is the first of a type that is at a server: each has every len(Servers)th.
func (p *storeLocation) firstBlock(nodeType, server int) int {
	n := len(p.Servers)
	return (server + n - nodeType%n) % n
}

// blockCount is how many a type has.
func (p *storeLocation) blockCount(nodeType int) int {
	return (p.Types[nodeType].Nodes + p.Block - 1) / p.Block
}
