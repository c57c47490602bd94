"""A stock client of the Open Inference Protocol: `pip install tritonclient[http]==2.73.0 numpy`.

    python triton_client.py record > requests.json
        the bodies that it sends, which `test/open-inference.test.ts` replays
    python triton_client.py ask HOST:PORT API_KEY ENDPOINT
        asks a running server, whose endpoint reads age, plan and tenure, and prints what came back
"""

import base64
import json
import sys

import numpy as np
import tritonclient.http as client

AGES = np.array([41.0, 20.0, np.nan])
PLANS = np.array([b"basic", b"plus", b""], dtype=np.object_)
TENURES = np.array([7.5, 30.0, 1.0])


def column(name, values, datatype, binary):
    tensor = client.InferInput(name, list(values.shape), datatype)
    tensor.set_data_from_numpy(values, binary_data=binary)
    return tensor


def by_column(binary):
    return [
        column("age", AGES, "FP64", binary),
        column("plan", PLANS, "BYTES", binary),
        column("tenure", TENURES.reshape(3, 1).astype(np.float32), "FP32", binary),
    ]


def matrix():
    values = np.stack([AGES, TENURES], axis=1)
    return [column("numbers", values, "FP64", True), column("plan", PLANS, "BYTES", True)]


def outputs(binary):
    return [
        client.InferRequestedOutput("label", binary_data=binary),
        client.InferRequestedOutput("probabilities", binary_data=binary),
    ]


REQUESTS = {
    "binary tensors": (by_column(True), None),
    "lists": ([tensor for tensor in by_column(False)[1:2]], outputs(False)),
    "one tensor of the numeric columns": (matrix(), outputs(True)),
    "some outputs as lists": (by_column(True), outputs(False)),
    "integers": ([column("age", np.array([41, 20], dtype=np.int64), "INT64", True)], None),
}


def record():
    recorded = {}
    for name, (inputs, wanted) in REQUESTS.items():
        body, size = client.InferenceServerClient.generate_request_body(
            inputs, outputs=wanted, request_id=name
        )
        recorded[name] = {"body": base64.b64encode(body).decode(), "json_bytes": size}
    json.dump(recorded, sys.stdout, indent=2)
    print()


def ask(url, key, endpoint):
    headers = {"authorization": f"Bearer {key}"}
    server = client.InferenceServerClient(url)
    print("live", server.is_server_live(headers=headers))
    print("ready", server.is_server_ready(headers=headers))
    print("server", server.get_server_metadata(headers=headers))
    print("model ready", server.is_model_ready(endpoint, headers=headers))
    metadata = server.get_model_metadata(endpoint, headers=headers)
    print("model", json.dumps(metadata))
    for name, (inputs, wanted) in REQUESTS.items():
        answer = server.infer(
            endpoint,
            inputs,
            outputs=wanted,
            request_id=name,
            headers=dict(headers),  # the client adds to it
            request_compression_algorithm="gzip" if name == "integers" else None,
            query_params={"key": "somebody"},
        )
        response = answer.get_response()
        shown = {o["name"]: answer.as_numpy(o["name"]).tolist() for o in response["outputs"]}
        print(name, response["id"], response["model_version"], shown)
    version = metadata["versions"][0]
    answer = server.infer(endpoint, by_column(True), model_version=version, headers=dict(headers))
    print("version", answer.get_response()["model_version"] == version)
    for broken, version in (("nowhere", ""), (endpoint, "0")):
        try:
            server.infer(broken, by_column(True), model_version=version, headers=dict(headers))
        except client.InferenceServerException as error:
            print("refused", error.status(), error.message())


if sys.argv[1] == "record":
    record()
else:
    ask(*sys.argv[2:])
