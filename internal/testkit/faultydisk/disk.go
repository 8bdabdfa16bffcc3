//go:build linux

// Package faultydisk is a file system that records its operations and can fail them like a broken disk.
//
// In scope: a folder mounted at another place (FUSE), with a hook for each operation. Out of scope: the choice of
// operations that fail.
package faultydisk

import (
	"context"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Op is an operation on a file of the disk.
type Op struct {
	Kind string // create, open, read, write, sync, or rename
	Path string // relative to the disk; the new path of a rename
}

// Disk is a folder that a test accesses through this file system.
type Disk struct {
	Dir  string // mount point
	Real string // the same files without faults

	mu    sync.Mutex
	ops   []Op
	fault func(Op) syscall.Errno
}

// The number of attempts to unmount a disk that is in use, and the pause before each.
const (
	maxUnmounts  = 300
	unmountPause = 100 * time.Millisecond
)

// Mount mounts a disk until the end of the test. fault returns the error of an operation, or 0 for no error; fault may
// be nil. If the machine does not permit the mount, the test is skipped.
func Mount(t *testing.T, fault func(Op) syscall.Errno) *Disk {
	t.Helper()
	d := &Disk{Dir: t.TempDir(), Real: t.TempDir(), fault: fault}
	root := &fs.LoopbackRoot{Path: d.Real}
	//nolint:staticcheck // what took its place would copy nodes
	root.NewNode = func(r *fs.LoopbackRoot, _ *fs.Inode, _ string, _ *syscall.Stat_t) fs.InodeEmbedder {
		return &node{LoopbackNode: fs.LoopbackNode{RootData: r}, disk: d}
	}
	top := &node{LoopbackNode: fs.LoopbackNode{RootData: root}, disk: d}
	root.RootNode = top
	server, err := fs.Mount(d.Dir, top, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, Name: "faulty"}})
	if err != nil {
		t.Skip("this machine does not let a test mount a file system of its own (FUSE): ", err)
	}
	t.Cleanup(func() {
		err := server.Unmount()
		for tries := 0; err != nil && tries < maxUnmounts; tries++ { // an ending process may still use it for a moment
			time.Sleep(unmountPause)
			err = server.Unmount()
		}
		if err != nil { // requests to it would never be answered
			t.Errorf("unmounting the disk: %v", err)
			return
		}
		server.Wait()
	})
	return d
}

// Ops returns the operations so far, in their order. Consecutive writes to one file count as one operation.
func (d *Disk) Ops() []Op {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Op(nil), d.ops...)
}

// record records an operation and returns its error.
func (d *Disk) record(kind, path string) syscall.Errno {
	op := Op{kind, path}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.ops); n == 0 || d.ops[n-1] != op {
		d.ops = append(d.ops, op)
	}
	if d.fault == nil {
		return 0
	}
	return d.fault(op)
}

// node is a file or folder.
type node struct {
	fs.LoopbackNode
	disk *Disk
}

func (n *node) at() string { return n.Path(n.Root()) }

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (
	*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	path := name
	if at := n.at(); at != "" {
		path = at + "/" + name
	}
	if fault := n.disk.record("create", path); fault != 0 {
		return nil, nil, 0, fault
	}
	inode, handle, more, fault := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if fault != 0 {
		return nil, nil, 0, fault
	}
	made, ok := inode.Operations().(*node)
	if !ok {
		return nil, nil, 0, syscall.EIO
	}
	return inode, made.watched(handle), more, 0
}

// Open implements fs.NodeOpener.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if fault := n.disk.record("open", n.at()); fault != 0 {
		return nil, 0, fault
	}
	handle, more, fault := n.LoopbackNode.Open(ctx, flags)
	if fault != 0 {
		return nil, 0, fault
	}
	return n.watched(handle), more, 0
}

// Rename implements fs.NodeRenamer.
func (n *node) Rename(ctx context.Context, name string, to fs.InodeEmbedder, as string, flags uint32) syscall.Errno {
	path := as
	if parent, ok := to.(*node); ok && parent.at() != "" {
		path = parent.at() + "/" + as
	}
	if fault := n.disk.record("rename", path); fault != 0 {
		return fault
	}
	return n.LoopbackNode.Rename(ctx, name, to, as, flags)
}

// handle is an open file.
type handle struct {
	*fs.LoopbackFile
	node *node
}

func (n *node) watched(open fs.FileHandle) fs.FileHandle {
	if file, ok := open.(*fs.LoopbackFile); ok {
		return &handle{file, n}
	}
	return open
}

// PassthroughFd prevents the kernel from accessing the file directly.
func (h *handle) PassthroughFd() (int, bool) { return 0, false }

// Read implements fs.FileReader.
func (h *handle) Read(ctx context.Context, to []byte, from int64) (fuse.ReadResult, syscall.Errno) {
	if fault := h.node.disk.record("read", h.node.at()); fault != 0 {
		return nil, fault
	}
	return h.LoopbackFile.Read(ctx, to, from)
}

// Write implements fs.FileWriter.
func (h *handle) Write(ctx context.Context, data []byte, at int64) (uint32, syscall.Errno) {
	if fault := h.node.disk.record("write", h.node.at()); fault != 0 {
		return 0, fault
	}
	return h.LoopbackFile.Write(ctx, data, at)
}

// Fsync implements fs.FileFsyncer.
func (h *handle) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	if fault := h.node.disk.record("sync", h.node.at()); fault != 0 {
		return fault
	}
	return h.LoopbackFile.Fsync(ctx, flags)
}
