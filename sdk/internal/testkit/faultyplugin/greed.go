package main

import (
	"os"
	"os/exec"
	"time"
)

// eatMemory allocates memory piece by piece, writes to it and never frees it.
func eatMemory() error {
	const piece, pieces = 8 << 20, 128
	var held [][]byte
	for range pieces {
		b := make([]byte, piece)
		for i := 0; i < piece; i += os.Getpagesize() {
			b[i] = 1
		}
		held = append(held, b)
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Hour)
	return os.WriteFile(os.DevNull, held[0], 0)
}

// spawnProcesses starts processes that do not end.
func spawnProcesses() error {
	const children = 40
	for range children {
		if err := exec.Command("sleep", "3600").Start(); err != nil {
			return err
		}
	}
	time.Sleep(time.Hour)
	return nil
}

// burnProcessor uses processor time.
func burnProcessor() error {
	for n := uint64(1); n != 0; n += 2 {
	}
	return nil
}

// hoardFiles opens files and does not close them.
func hoardFiles() error {
	const files = 4096
	for range files {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		defer f.Close()
	}
	return nil
}
