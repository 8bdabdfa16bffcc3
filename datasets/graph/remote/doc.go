// Package remote keeps the features of a graph's nodes in the memory of other machines, at servers of Redis, and
// gathers them from there.
//
// Features lie in blocks of consecutive nodes of a type, each the value of a key, dealt out to the servers in turn. A
// file says which servers have them and under which name: with it and the edges a machine can sample that has no
// features.
//
// In: filling servers, reading rows. Out: which files features come from (igbh), starting servers, drawing
// neighbourhoods.
package remote
