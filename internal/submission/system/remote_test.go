package system

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shellIn is a shell whose folder is one of this machine.
func shellIn(dir string) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, script string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "sh", "-c", "echo welcome to node; "+script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		return cmd.Output()
	}
}

// TestRemote: through a shell, a machine says of itself what it says at home.
func TestRemote(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, server()); err != nil {
		t.Fatal(err)
	}
	smi := "#!/bin/sh\ncase \"$1\" in --query-gpu=name,*) echo 'X 100, 81559, 1980, 570.1, 5, 16';; esac\n"
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "nvidia-smi"), []byte(smi), 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := ReadRemote(t.Context(), t.TempDir(), shellIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	got := ProbeMachine(t.Context(), m)
	want := ProbeMachine(t.Context(), Machine{Root: server(), Run: func(context.Context, string, ...string) ([]byte,
		error) {
		return []byte("X 100, 81559, 1980, 570.1, 5, 16\n"), nil
	}})
	if !maps.Equal(got, want) || got["accelerator_model_name"] != "X 100" || got["driver"] != "NVIDIA driver 570.1" {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRemoteWithoutFiles(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "a greeting": "welcome to node", "a way out": "../x eA=="} {
		_, err := ReadRemote(t.Context(), t.TempDir(), func(context.Context, string) ([]byte, error) {
			return []byte(text), nil
		})
		if err == nil || !strings.Contains(err.Error(), "no file of a Linux machine") {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused := errors.New("refused")
	if _, err := ReadRemote(t.Context(), t.TempDir(), func(context.Context, string) ([]byte, error) {
		return nil, refused
	}); !errors.Is(err, refused) {
		t.Error(err)
	}
}

func TestJoinNodes(t *testing.T) {
	one := map[string]string{"number_of_nodes": "1", "host_memory_capacity": "32 GiB",
		"host_processor_frequency": "3.1 GHz"}
	two := maps.Clone(one)
	two["host_processor_frequency"] = "2.2 GHz"
	got, err := JoinNodes([]string{"a", "b"}, []map[string]string{one, two})
	if err != nil || got["number_of_nodes"] != "2" {
		t.Error(got, err)
	}
	two["host_memory_capacity"] = "64 GiB"
	_, err = JoinNodes([]string{"a", "b"}, []map[string]string{one, two})
	if err == nil || !strings.Contains(err.Error(), `host_memory_capacity is "32 GiB" on a and "64 GiB" on b`) {
		t.Error(err)
	}
}
