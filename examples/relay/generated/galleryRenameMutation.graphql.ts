/**
 * @generated SignedSource<<842a3adb6ca26eed6f53fb5bcbe0dfb0>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type UserErrorCode = "AMBIGUOUS" | "CONFLICT" | "DUPLICATE_ID" | "DUPLICATE_KEY" | "EXISTS" | "IDEMPOTENCY_KEY_REUSED" | "ID_TAKEN" | "INVALID" | "INVALID_JSON" | "INVALID_TEXT" | "LAST_ADMIN" | "MORE_PROBLEMS" | "NOT_FOUND" | "NO_FREE_ID" | "OUT_OF_RANGE" | "REQUIRED" | "SCHEMA" | "TOO_DEEP" | "TOO_LARGE" | "TOO_SHORT" | "UNEXPECTED_COUNT" | "WRONG_TYPE" | "%future added value";
export type galleryRenameMutation$variables = {
  expectedRevision: number;
  id: number;
  name: string;
};
export type galleryRenameMutation$data = {
  readonly updateProduct: {
    readonly product: {
      readonly name: string;
      readonly revision: number;
    } | null | undefined;
    readonly userErrors: ReadonlyArray<{
      readonly code: UserErrorCode;
    }>;
  } | null | undefined;
};
export type galleryRenameMutation = {
  response: galleryRenameMutation$data;
  variables: galleryRenameMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "expectedRevision"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "id"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "name"
},
v3 = [
  {
    "kind": "Variable",
    "name": "expectedRevision",
    "variableName": "expectedRevision"
  },
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  },
  {
    "fields": [
      {
        "kind": "Variable",
        "name": "name",
        "variableName": "name"
      }
    ],
    "kind": "ObjectValue",
    "name": "input"
  }
],
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "revision",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "concreteType": "UserError",
  "kind": "LinkedField",
  "name": "userErrors",
  "plural": true,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "code",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "galleryRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "UpdateProductPayload",
        "kind": "LinkedField",
        "name": "updateProduct",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "ProductTemplate",
            "kind": "LinkedField",
            "name": "product",
            "plural": false,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/)
            ],
            "storageKey": null
          },
          (v6/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v2/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "galleryRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "UpdateProductPayload",
        "kind": "LinkedField",
        "name": "updateProduct",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "ProductTemplate",
            "kind": "LinkedField",
            "name": "product",
            "plural": false,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "nodeId",
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          (v6/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "b82597b8010135ad2b1e27b6d606577d",
    "id": null,
    "metadata": {},
    "name": "galleryRenameMutation",
    "operationKind": "mutation",
    "text": "mutation galleryRenameMutation(\n  $id: Int!\n  $name: String!\n  $expectedRevision: Int!\n) {\n  updateProduct(id: $id, input: {name: $name}, expectedRevision: $expectedRevision) {\n    product {\n      name\n      revision\n      nodeId\n    }\n    userErrors {\n      code\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "e95da312e1ed23da58b406ac72dbbd20";

export default node;
