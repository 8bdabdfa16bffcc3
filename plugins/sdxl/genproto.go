//go:build genproto

// Built never: this import has the module require a genproto without googleapis/rpc, which is a module of its own
// today. Arrow's old grpc, of which nothing is built, asks for one that holds it.

package sdxl

import _ "google.golang.org/genproto/googleapis/type/date"
