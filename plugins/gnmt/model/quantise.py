"""INT8 weights: each large matrix is kept as int8 with a scale for each of its columns, or rows where it is a table or
an LSTM's, and multiplied in FP32. So an answer does not depend on what else is in a batch, as with activations whose
range is found at run time."""
import numpy as np
from embedded.scales import whole
from onnx import ModelProto, helper, numpy_helper

SMALLEST = 1024  # elements: smaller ones stay as they are


def weights(model):
    model = ModelProto.FromString(model.SerializeToString())
    multiplied = {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    constants, nodes = [], []
    for c in model.graph.initializer:
        w = numpy_helper.to_array(c)
        if w.dtype != np.float32 or w.size < SMALLEST:
            constants.append(c)
            continue
        # An LSTM's W and R have a leading dimension of directions, whose scales are the same.
        axis = w.ndim - 1 if c.name in multiplied else w.ndim - 2
        constants += [numpy_helper.from_array(a, c.name + end) for a, end in zip(whole(w, axis), ("_int8", "_scale"))]
        nodes.append(helper.make_node("DequantizeLinear", [c.name + "_int8", c.name + "_scale"], [c.name], axis=axis))
    rest = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(constants)
    model.graph.node.extend(nodes + rest)
    return model
