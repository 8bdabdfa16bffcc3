// Package kserve is a backend for servers that speak the Open Inference Protocol, version 2, over gRPC: Triton, KServe,
// MLServer, Ray Serve and others.
//
//	harness run resnet50 --backend kserve --backend-opt url=host-a:8001,host-b:8001 --backend-opt model=resnet50
//
// The model's tensors are checked against the server's metadata before the run. Batches go to the endpoint
// with the fewest in work, over one stream where the server has Triton's; one that is lost takes no more
// until it is ready again.
//
// In: connections, balancing, tensors on the wire, what a server's errors mean.
// Out: batching and preprocessing (the benchmark, package sdk), starting servers.
package kserve
