package host

import (
	"bufio"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io"
	"os"
	"strings"
)

// programTarget says what machine a program file is for, as the end of a clause; empty where it is no program that is
// known.
func programTarget(path string) string {
	if f, err := elf.Open(path); err == nil {
		defer closeReadOnly(f)
		return " but for " + f.Machine.String()
	}
	if f, err := macho.Open(path); err == nil {
		defer closeReadOnly(f)
		return " but for macOS on " + f.Cpu.String()
	}
	if f, err := pe.Open(path); err == nil {
		defer closeReadOnly(f)
		return fmt.Sprintf(" but for Windows (machine %#x)", f.Machine)
	}
	return ""
}

// programInterpreter is the program that a script or a dynamically linked program names in its head to start it; empty
// where it names none, or where that exists.
func programInterpreter(path string) string {
	name := scriptInterpreter(path)
	if name == "" {
		name = elfInterpreter(path)
	}
	if _, err := os.Stat(name); name == "" || err == nil {
		return ""
	}
	return name
}

// scriptInterpreter reads #!PROGRAM ARGUMENTS.
func scriptInterpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer closeReadOnly(f)
	const most = 256 // more than kernels read
	line, _ := bufio.NewReader(io.LimitReader(f, most)).ReadString('\n')
	rest, found := strings.CutPrefix(line, "#!")
	if words := strings.Fields(rest); found && len(words) > 0 {
		return words[0]
	}
	return ""
}

// elfInterpreter reads the segment that names the dynamic loader.
func elfInterpreter(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer closeReadOnly(f)
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			text, _ := io.ReadAll(p.Open())
			return strings.TrimRight(string(text), "\x00")
		}
	}
	return ""
}

// closeReadOnly closes what was only read.
func closeReadOnly(f io.Closer) { _ = f.Close() }
