// Package remote stores the features of a graph's nodes on Redis servers, in the memory of other machines, and reads
// them from there.
//
// The value of each key is a block of features of consecutive nodes of one type. Blocks are assigned to the servers in
// turn. A file lists the servers and the name of the features. With this file and the edges, a machine without features
// can sample.
//
// In scope: filling servers, reading rows. Out of scope: files of features (igbh), starting servers, drawing
// neighbourhoods.
package remote
