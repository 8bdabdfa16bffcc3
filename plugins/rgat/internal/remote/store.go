package remote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

var _ graph.FeatureStore = (*RemoteStore)(nil)

// RemoteStore reads features from servers. It is safe for concurrent use.
type RemoteStore struct {
	storeLocation
	servers []*redisServer
}

// Open reads the servers' addresses from the file in dir and checks that each server has its features. The error lists
// every server that does not. The caller must close the store.
func Open(ctx context.Context, dir string) (*RemoteStore, error) {
	p, err := readLocation(dir)
	if err != nil {
		return nil, err
	}
	s, err := newRemoteStore(p)
	if err != nil {
		return nil, err
	}
	if err := s.eachServer(func(i int) error { return s.checkServer(ctx, i) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func newRemoteStore(p *storeLocation) (*RemoteStore, error) {
	s := &RemoteStore{storeLocation: *p}
	for _, address := range p.Servers {
		server, err := newRedisServer(address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFeatures, err)
		}
		s.servers = append(s.servers, server)
	}
	return s, nil
}

// eachServer calls do for all servers concurrently.
func (s *RemoteStore) eachServer(do func(i int) error) error {
	faults := make([]error, len(s.servers))
	var working sync.WaitGroup
	for i := range s.servers {
		working.Go(func() { faults[i] = do(i) })
	}
	working.Wait()
	return errors.Join(faults...)
}

func (s *RemoteStore) checkServer(ctx context.Context, i int) error {
	key, want := s.markerKey(i)
	return s.servers[i].withConn(ctx, func(c *redisConn) error {
		got, err := c.runCommand("GET", key)
		switch {
		case errors.Is(err, errNoKey):
			return fmt.Errorf("it has no features named %s: was it filled, and has it kept its memory since?", s.Name)
		case err == nil && got != want:
			return fmt.Errorf("it is %s of these features, and the file says %s", got, want)
		}
		return err
	})
}

// Types returns the node types with their numbers of nodes.
func (s *RemoteStore) Types() []graph.NodeType { return s.storeLocation.Types }

// Width returns the number of features per node.
func (s *RemoteStore) Width() int { return s.storeLocation.Width }

// Gather reads the features of nodes of one type from all servers concurrently.
func (s *RemoteStore) Gather(ctx context.Context, dst []float32, nodeType int, nodes []uint32) error {
	if nodeType < 0 || nodeType >= len(s.storeLocation.Types) || len(dst) != len(nodes)*s.storeLocation.Width {
		return fmt.Errorf("%w: %d nodes of type %d into room for %d values", ErrFeatures, len(nodes), nodeType, len(dst))
	}
	asked := make([][]int, len(s.servers))
	for i, v := range nodes {
		if t := s.storeLocation.Types[nodeType]; int64(v) >= int64(t.Nodes) {
			return fmt.Errorf("%w: node %d at position %d, and there are %d of type %s", ErrFeatures, v, i, t.Nodes, t.Name)
		}
		at := s.serverIndex(nodeType, int(v)/s.Block)
		asked[at] = append(asked[at], i)
	}
	return s.eachServer(func(at int) error {
		if len(asked[at]) == 0 {
			return nil
		}
		return s.servers[at].withConn(ctx, func(c *redisConn) error {
			return s.fetchRows(ctx, c, dst, nodeType, nodes, asked[at])
		})
	})
}

// maxPipelinedRows is the maximum number of requests that are sent before their replies are read.
const maxPipelinedRows = 1024

// fetchRows reads the features of nodes[i] for each i in positions.
func (s *RemoteStore) fetchRows(
	ctx context.Context, c *redisConn, dst []float32, nodeType int, nodes []uint32, positions []int,
) error {
	for len(positions) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		some := positions[:min(maxPipelinedRows, len(positions))]
		positions = positions[len(some):]
		for _, i := range some {
			s.requestRow(c, nodeType, int(nodes[i]))
		}
		if err := c.flush(); err != nil {
			return err
		}
		for _, i := range some {
			if err := s.receiveRow(c, dst[i*s.storeLocation.Width:][:s.storeLocation.Width]); err != nil {
				return fmt.Errorf("node %d of type %s: %w", nodes[i], s.storeLocation.Types[nodeType].Name, err)
			}
		}
	}
	return nil
}

func (s *RemoteStore) requestRow(c *redisConn, nodeType, node int) {
	row := 4 * s.storeLocation.Width
	first := node % s.Block * row
	c.sendCommand("GETRANGE", s.blockKey(nodeType, node/s.Block), strconv.Itoa(first), strconv.Itoa(first+row-1))
}

func (s *RemoteStore) receiveRow(c *redisConn, row []float32) error {
	want := asBytes(row)
	got, err := c.readReply(want)
	if err == nil && got < len(want) {
		err = fmt.Errorf("it has %d of %d bytes: has it lost its memory since it was filled?", got, len(want))
	}
	return err
}

// asBytes returns the memory of values.
func asBytes(values []float32) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values))
}

// Close closes the connections.
func (s *RemoteStore) Close() error {
	faults := make([]error, len(s.servers))
	for i, server := range s.servers {
		faults[i] = server.close()
	}
	return errors.Join(faults...)
}
