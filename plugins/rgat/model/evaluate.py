"""Accuracy of an ONNX file in ONNX Runtime on the CPU, with whole neighbourhoods."""

from embedded import runtime


def session(path):
    return runtime.session(path, threads=1)  # ScatterND with a reduction is wrong with more


def accuracy(path, graph):
    """In percent, and the logits."""
    feeds = {"x_" + t: x.numpy() for t, x in graph.features.items()}
    for relation, (source, destination) in graph.edges.items():
        feeds["src_" + relation], feeds["dst_" + relation] = source.numpy(), destination.numpy()
    logits = session(path).run(["logits"], feeds | {"seeds": graph.samples.numpy()})[0]
    return 100 * float((logits.argmax(1) == graph.labels[graph.samples].numpy()).mean()), logits
