package onnxfile

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"runtime"
	"testing"
)

// Library returns a shared library for a machine, given by GOOS and GOARCH. A library for Linux contains the entry
// point with the version of the release.
func Library(t testing.TB, goos, goarch, release string) []byte {
	t.Helper()
	if goos == "darwin" {
		cpu := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[goarch]
		return littleEndian(t, macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: macho.TypeDylib}, uint32(0))
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[goarch]
	return library(t, machine, "VERS_"+release)
}

// LibraryHere returns the library's name and contents for this machine.
func LibraryHere(t testing.TB, release string) (name string, contents []byte) {
	t.Helper()
	name = "libonnxruntime.so." + release
	if runtime.GOOS == "darwin" {
		name = "libonnxruntime." + release + ".dylib"
	}
	return name, Library(t, runtime.GOOS, runtime.GOARCH, release)
}

// Zip returns a package in zip form, like wheels, jars and NuGet packages, with files by name.
func Zip(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, contents := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(contents)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// littleEndian returns the little-endian form of values of fixed size.
func littleEndian(t testing.TB, values ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// library returns an ELF file that contains only section headers, with one symbol of a version.
func library(t testing.TB, machine elf.Machine, version string) []byte {
	t.Helper()
	const entry = "OrtGetApiBase"
	names := []byte("\x00" + entry + "\x00" + version + "\x00")
	const header, sectionHeader = 64, 64
	sections := []elf.Section64{{}}
	body := make([]byte, header)
	add := func(s elf.Section64, data []byte) {
		s.Off, s.Size, s.Addralign = uint64(len(body)), uint64(len(data)), 1
		sections, body = append(sections, s), append(body, data...)
	}
	add(elf.Section64{Type: uint32(elf.SHT_STRTAB)}, names)
	add(elf.Section64{Type: uint32(elf.SHT_DYNSYM), Link: 1, Info: 1, Entsize: elf.Sym64Size}, littleEndian(t, elf.Sym64{},
		elf.Sym64{Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1, Value: 1, Size: 1}))
	add(elf.Section64{Type: uint32(elf.SHT_GNU_VERSYM), Link: 2, Entsize: 2}, littleEndian(t, uint16(0), uint16(2)))
	// A version definition and its name: version, flags, index, count, hash, offset of the name, offset of the next.
	add(elf.Section64{Type: uint32(elf.SHT_GNU_VERDEF), Link: 1, Info: 1}, littleEndian(t, []uint16{1, 0, 2, 1}, uint32(0),
		uint32(20), uint32(0), uint32(2+len(entry)), uint32(0)))
	file := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Shoff: uint64(len(body)), Ehsize: header,
		Shentsize: sectionHeader, Shnum: uint16(len(sections)), Shstrndx: 1,
	}
	copy(file.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	copy(body, littleEndian(t, file))
	return append(body, littleEndian(t, sections)...)
}
