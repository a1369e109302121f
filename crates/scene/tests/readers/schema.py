"""Validates scenes by a JSON Schema: `schema.py CASES.json`.

The file has the schema and a list of cases, each with a scene and whether it is good. Prints each case of which the
validator thinks otherwise, and exits with 1 if there is one.
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    told = json.load(file)
jsonschema.Draft202012Validator.check_schema(told["schema"])
validator = jsonschema.Draft202012Validator(told["schema"])
wrong = 0
for case in told["cases"]:
    if validator.is_valid(case["scene"]) != case["good"]:
        wrong += 1
        error = jsonschema.exceptions.best_match(validator.iter_errors(case["scene"]))
        path = error.json_path if error else ""
        print(case["name"], "good" if case["good"] else "bad", path, error and error.message[:200])
good = sum(case["good"] for case in told["cases"])
print(f"{good} good and {len(told['cases']) - good} bad scenes, {wrong} judged otherwise")
sys.exit(wrong > 0)
