// Package openfiles keeps what a process inherited from the programs that it starts: a shell, a service manager or a
// CI runner may have left files, folders and sockets open that none of them is meant to have.
//
// In: marking what is open. Out: descriptors that are handed down on purpose, which os/exec's ExtraFiles does.
package openfiles
