package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// blockBytes is the approximate size of a value. With the server's overhead it fits into 1 MiB, which is a size class
// of its allocator.
const blockBytes = 1<<20 - 64

// FillServers copies the features of all nodes to servers and writes their addresses to a file in dir. servers must
// satisfy [CheckServers]. progress occasionally receives a line of text, from any goroutine. If FillServers fails, it
// deletes what it has written, unless the servers no longer answer.
func FillServers(
	ctx context.Context, dir string, servers []string, from graph.FeatureStore, progress func(line string),
) error {
	p := &storeLocation{
		Format: fileFormat, Name: rand.Text(), Servers: servers, Types: from.Types(), Width: from.Width(),
		Block: max(1, blockBytes/4/max(1, from.Width())),
	}
	if err := p.checkLocation(); err != nil {
		return fmt.Errorf("%w: %w", ErrFeatures, err)
	}
	s, err := newRemoteStore(p)
	if err != nil {
		return err
	}
	f := storeFiller{RemoteStore: s, source: from, progress: progress}
	err = s.eachServer(func(i int) error { return s.pingServer(ctx, i) })
	if err == nil {
		err = f.fillOrDelete(ctx, dir)
	}
	return errors.Join(err, s.Close())
}

// pingServer checks that a server answers.
func (s *RemoteStore) pingServer(ctx context.Context, server int) error {
	return s.servers[server].withConn(ctx, func(c *redisConn) error {
		_, err := c.runCommand("PING")
		return err
	})
}

// storeFiller copies features to servers.
type storeFiller struct {
	*RemoteStore
	source   graph.FeatureStore
	progress func(line string)
	written  atomic.Int64 // number of blocks
}

// progressBlocks is the number of blocks between reports of progress.
const progressBlocks = 4096

func (f *storeFiller) fillOrDelete(ctx context.Context, dir string) error {
	err := f.fillServers(ctx)
	if err == nil {
		err = f.saveFile(dir)
	}
	if err != nil {
		err = errors.Join(err, f.eachServer(func(i int) error { return f.deleteMarker(i) }))
	}
	return err
}

// fillServers fills all servers, type by type, and then marks them as complete.
func (f *storeFiller) fillServers(ctx context.Context) error {
	key, _ := f.markerKey(0)
	f.progress("keys begin with " + key)
	for t, of := range f.storeLocation.Types {
		f.progress(fmt.Sprintf("%s: %d nodes of %d features", of.Name, of.Nodes, f.storeLocation.Width))
		if err := f.eachServer(func(i int) error { return f.fillServer(ctx, i, t) }); err != nil {
			return err
		}
	}
	return f.eachServer(func(i int) error {
		key, value := f.markerKey(i)
		return f.servers[i].withConn(ctx, func(c *redisConn) error {
			_, err := c.runCommand("SET", key, value)
			return err
		})
	})
}

// fillServer writes a server's blocks of a node type.
func (f *storeFiller) fillServer(ctx context.Context, server, nodeType int) error {
	return f.servers[server].withConn(ctx, func(c *redisConn) error {
		for block := f.firstBlock(nodeType, server); block < f.blockCount(nodeType); block += len(f.servers) {
			values, err := f.readBlock(ctx, nodeType, block)
			if err != nil {
				return err
			}
			if err := c.setKey(f.blockKey(nodeType, block), asBytes(values)); err != nil {
				return err
			}
			if n := f.written.Add(1); n%progressBlocks == 0 {
				f.progress(fmt.Sprintf("%d blocks of %d nodes are written", n, f.Block))
			}
		}
		return nil
	})
}

// readBlock reads the features of a block.
func (f *storeFiller) readBlock(ctx context.Context, nodeType, block int) ([]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	first := block * f.Block
	n := min(f.Block, f.storeLocation.Types[nodeType].Nodes-first)
	nodes := make([]uint32, n)
	for i := range nodes {
		nodes[i] = uint32(first + i)
	}
	values := make([]float32, len(nodes)*f.storeLocation.Width)
	return values, f.source.Gather(ctx, values, nodeType, nodes)
}

// deleteMarker deletes a server's marker.
func (s *RemoteStore) deleteMarker(server int) error {
	return s.servers[server].withConn(context.Background(), func(c *redisConn) error {
		key, _ := s.markerKey(server)
		if _, err := c.runCommand("DEL", key); err != nil {
			return err
		}
		for t := range s.storeLocation.Types {
			for block := s.firstBlock(t, server); block < s.blockCount(t); block += len(s.servers) {
				if _, err := c.runCommand("DEL", s.blockKey(t, block)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
