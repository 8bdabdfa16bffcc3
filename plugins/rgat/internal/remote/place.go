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

// ErrFeatures is wrapped by every error of this package.
var ErrFeatures = errors.New("features at servers")

// FileName is the name of the file with the addresses of the servers.
const FileName = "features.json"

// fileFormat is the version of the file and of the keys on servers.
const fileFormat = 1

// storeLocation is the content of the file. It identifies the servers and the features.
type storeLocation struct {
	Format  int              `json:"format"`
	Name    string           `json:"name"` // unique name of these features
	Servers []string         `json:"servers"`
	Types   []graph.NodeType `json:"types"`
	Width   int              `json:"width"`
	Block   int              `json:"block"` // number of nodes per key
}

// Limits of values in the file. A row and a block are single values of Redis, which are limited to 512 MB.
const (
	maxNodes      = 1 << 32
	maxBlockBytes = 512 << 20
	maxServers    = 4096
	maxFileBytes  = 1 << 20
)

// readLocation reads the file in dir.
func readLocation(dir string) (*storeLocation, error) {
	path := filepath.Join(dir, FileName)
	text, err := bounded.ReadFile(path, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFeatures, err)
	}
	p, err := parseLocation(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFeatures, path, err)
	}
	return p, nil
}

func parseLocation(text []byte) (*storeLocation, error) {
	p := new(storeLocation)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, err
	}
	return p, p.checkLocation()
}

// checkLocation returns an error that lists every fault.
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

// CheckServers requires server addresses of the form redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for
// TLS. Errors never contain passwords.
func CheckServers(servers []string) error {
	if len(servers) == 0 || len(servers) > maxServers {
		return fmt.Errorf("%d servers, want 1 to %d", len(servers), maxServers)
	}
	var faults []error
	for i, s := range servers {
		if _, err := newRedisServer(s); err != nil {
			faults = append(faults, fmt.Errorf("server %d is %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

// saveFile writes the file into dir. Only its owner may read it, because addresses may contain passwords.
func (p *storeLocation) saveFile(dir string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, FileName), append(text, '\n'), 0o600)
}

// markerKey returns the key and the value that mark a server as filled.
func (p *storeLocation) markerKey(server int) (key, value string) {
	return "plumbline:" + p.Name, fmt.Sprintf("server %d of %d", server+1, len(p.Servers))
}

// blockKey returns the key of a block of a node type.
func (p *storeLocation) blockKey(nodeType, block int) string {
	return "plumbline:" + p.Name + ":" + p.Types[nodeType].Name + ":" + strconv.Itoa(block)
}

// serverIndex returns the index of a block's server.
func (p *storeLocation) serverIndex(nodeType, block int) int {
	return (nodeType + block) % len(p.Servers)
}

// firstBlock returns the first block of a node type on a server. Every len(Servers)th block follows.
func (p *storeLocation) firstBlock(nodeType, server int) int {
	n := len(p.Servers)
	return (server + n - nodeType%n) % n
}

// blockCount returns the number of blocks of a node type.
func (p *storeLocation) blockCount(nodeType int) int {
	return (p.Types[nodeType].Nodes + p.Block - 1) / p.Block
}
