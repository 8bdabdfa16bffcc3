// Command harness runs benchmarks and judges them.
package main

func main() {}
