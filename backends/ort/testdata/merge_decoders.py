"""Makes one decoder of optimum's two, as its merged form has them: branches of an If.

    python merge_decoders.py golden/decode/whisper_greedy/net_b

Needs onnx. The tests read what it wrote; they do not run it.
"""

import sys

import onnx
from onnx import TensorProto, helper


def rename(graph, prefix, outer):
    """Puts a prefix before all names of a graph but those of the outer one."""
    def name(n):
        return n if not n or n in outer else prefix + n

    for node in graph.node:
        node.input[:] = [name(n) for n in node.input]
        node.output[:] = [name(n) for n in node.output]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                rename(attribute.g, prefix, outer)
    for value in [*graph.initializer, *graph.output]:
        value.name = name(value.name)
    del graph.value_info[:]


def branch(graph, prefix, outer):
    """A decoder as a branch: its inputs are those of the outer graph."""
    made = onnx.GraphProto()
    made.CopyFrom(graph)
    del made.input[:]
    rename(made, prefix, outer)
    return made


def merge(folder):
    first = onnx.load(folder + "/decoder_model.onnx")
    later = onnx.load(folder + "/decoder_with_past_model.onnx").graph
    names = {i.name for i in first.graph.input}
    inputs = [*first.graph.input, *(i for i in later.input if i.name not in names)]
    outer = {i.name for i in inputs}
    outputs = [o.name for o in first.graph.output]

    without, within = branch(first.graph, "first/", outer), branch(later, "later/", outer)
    written = {o.name for o in within.output}
    for output in outputs:  # the encoder's keys and values pass through
        if "later/" + output not in written:
            within.node.append(helper.make_node("Identity", [output.replace("present", "past_key_values")], ["later/" + output]))
    for graph, prefix in ((without, "first/"), (within, "later/")):
        del graph.output[:]
        graph.output.extend(helper.make_tensor_value_info(prefix + o, TensorProto.FLOAT, None) for o in outputs)

    results = []
    for output in first.graph.output:
        result = onnx.ValueInfoProto()
        result.CopyFrom(output)
        if output.name != "logits":
            length = result.type.tensor_type.shape.dim[2]
            length.Clear()
            length.dim_param = "length of " + output.name
        results.append(result)
    node = helper.make_node("If", ["use_cache_branch"], outputs, then_branch=within, else_branch=without)
    condition = helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1])
    graph = helper.make_graph([node], "merged", [*inputs, condition], results)
    model = helper.make_model(graph, opset_imports=first.opset_import, ir_version=first.ir_version)
    onnx.checker.check_model(model)
    onnx.save(model, folder + "/decoder_model_merged.onnx")


merge(sys.argv[1])
