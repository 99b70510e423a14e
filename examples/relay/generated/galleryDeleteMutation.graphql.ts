/**
 * @generated SignedSource<<dc6a41cfc229d61fba90980b21a43398>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type UserErrorCode = "AMBIGUOUS" | "CONFLICT" | "DUPLICATE_ID" | "DUPLICATE_KEY" | "EXISTS" | "IDEMPOTENCY_KEY_REUSED" | "ID_TAKEN" | "INVALID" | "INVALID_JSON" | "INVALID_TEXT" | "LAST_ADMIN" | "MORE_PROBLEMS" | "NOT_FOUND" | "NO_FREE_ID" | "OUT_OF_RANGE" | "REQUIRED" | "SCHEMA" | "TOO_DEEP" | "TOO_LARGE" | "TOO_SHORT" | "UNEXPECTED_COUNT" | "WRONG_TYPE" | "%future added value";
export type galleryDeleteMutation$variables = {
  connections: ReadonlyArray<string>;
  expectedRevision: number;
  id: number;
};
export type galleryDeleteMutation$data = {
  readonly deleteProduct: {
    readonly deletedNodeId: string | null | undefined;
    readonly edge: string | null | undefined;
    readonly userErrors: ReadonlyArray<{
      readonly code: UserErrorCode;
    }>;
  } | null | undefined;
};
export type galleryDeleteMutation = {
  response: galleryDeleteMutation$data;
  variables: galleryDeleteMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "connections"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "expectedRevision"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "id"
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
  }
],
v4 = {
  "alias": "edge",
  "args": null,
  "kind": "ScalarField",
  "name": "deletedNodeId",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "deletedNodeId",
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
    "name": "galleryDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "DeleteProductPayload",
        "kind": "LinkedField",
        "name": "deleteProduct",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          (v5/*:: as any*/),
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
      (v2/*:: as any*/),
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "galleryDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "DeleteProductPayload",
        "kind": "LinkedField",
        "name": "deleteProduct",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          {
            "alias": "edge",
            "args": null,
            "filters": null,
            "handle": "deleteEdge",
            "key": "",
            "kind": "ScalarHandle",
            "name": "deletedNodeId",
            "handleArgs": [
              {
                "kind": "Variable",
                "name": "connections",
                "variableName": "connections"
              }
            ]
          },
          (v5/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "filters": null,
            "handle": "deleteRecord",
            "key": "",
            "kind": "ScalarHandle",
            "name": "deletedNodeId"
          },
          (v6/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "7e11f6b13bce61d068bb0eece8fdf73c",
    "id": null,
    "metadata": {},
    "name": "galleryDeleteMutation",
    "operationKind": "mutation",
    "text": "mutation galleryDeleteMutation(\n  $id: Int!\n  $expectedRevision: Int!\n) {\n  deleteProduct(id: $id, expectedRevision: $expectedRevision) {\n    edge: deletedNodeId\n    deletedNodeId\n    userErrors {\n      code\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "326fe8204bf6367fdd109ba55a58fcc5";

export default node;
