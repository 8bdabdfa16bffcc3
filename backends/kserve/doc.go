// Package kserve is a backend for servers that speak the Open Inference Protocol, version 2, over gRPC: Triton, KServe,
// MLServer, Ray Serve and others.
//
//	harness run resnet50 --backend kserve --backend-opt url=host-a:8001,host-b:8001 --backend-opt model=resnet50
//
// The model's tensors are checked against the server's metadata before the run. Each batch goes to the endpoint with
// the fewest batches in progress, over one stream if the server supports Triton's. A lost endpoint receives no batches
// until it is ready again.
//
// In scope: connections, balancing, tensors on the wire, the meaning of a server's errors. Out of scope: batching and
// preprocessing (the benchmark, package sdk), starting servers.
package kserve
