/**
 * @generated SignedSource<<e7476e0ba4972ae615953f23b87d6a1a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type galleryHistoryQuery$variables = {
  id: number;
};
export type galleryHistoryQuery$data = {
  readonly productRevisions: {
    readonly nodes: ReadonlyArray<{
      readonly contents: {
        readonly name: string;
      } | null | undefined;
    }>;
  };
};
export type galleryHistoryQuery = {
  response: galleryHistoryQuery$data;
  variables: galleryHistoryQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "concreteType": "ProductContents",
  "kind": "LinkedField",
  "name": "contents",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "name",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "galleryHistoryQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "ProductRevisionConnection",
        "kind": "LinkedField",
        "name": "productRevisions",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "ProductRevision",
            "kind": "LinkedField",
            "name": "nodes",
            "plural": true,
            "selections": [
              (v2/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "galleryHistoryQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "ProductRevisionConnection",
        "kind": "LinkedField",
        "name": "productRevisions",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "ProductRevision",
            "kind": "LinkedField",
            "name": "nodes",
            "plural": true,
            "selections": [
              (v2/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "nodeId",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "6f750e6d9c238ccf8448cc27c80ec0e3",
    "id": null,
    "metadata": {},
    "name": "galleryHistoryQuery",
    "operationKind": "query",
    "text": "query galleryHistoryQuery(\n  $id: Int!\n) {\n  productRevisions(id: $id) {\n    nodes {\n      contents {\n        name\n      }\n      nodeId\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "072a85ff8b7f6127d7481f49aa5acb48";

export default node;
