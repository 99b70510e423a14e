/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query Cards($where: ProductTemplateFilter, $after: String) {\n  products(where: $where, after: $after, first: 50) {\n    nodes {\n      ...Card\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n\nfragment Card on ProductTemplate {\n  id\n  name\n  document {\n    image\n    attributes {\n      traitType\n      value\n      text\n    }\n  }\n}\n": typeof types.CardsDocument,
    "query History($id: Int!, $after: String) {\n  productRevisions(id: $id, after: $after, first: 2) {\n    nodes {\n      nodeId\n      action\n      contents {\n        name\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n": typeof types.HistoryDocument,
};
const documents: Documents = {
    "query Cards($where: ProductTemplateFilter, $after: String) {\n  products(where: $where, after: $after, first: 50) {\n    nodes {\n      ...Card\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n\nfragment Card on ProductTemplate {\n  id\n  name\n  document {\n    image\n    attributes {\n      traitType\n      value\n      text\n    }\n  }\n}\n": types.CardsDocument,
    "query History($id: Int!, $after: String) {\n  productRevisions(id: $id, after: $after, first: 2) {\n    nodes {\n      nodeId\n      action\n      contents {\n        name\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n": types.HistoryDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Cards($where: ProductTemplateFilter, $after: String) {\n  products(where: $where, after: $after, first: 50) {\n    nodes {\n      ...Card\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n\nfragment Card on ProductTemplate {\n  id\n  name\n  document {\n    image\n    attributes {\n      traitType\n      value\n      text\n    }\n  }\n}\n"): (typeof documents)["query Cards($where: ProductTemplateFilter, $after: String) {\n  products(where: $where, after: $after, first: 50) {\n    nodes {\n      ...Card\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n\nfragment Card on ProductTemplate {\n  id\n  name\n  document {\n    image\n    attributes {\n      traitType\n      value\n      text\n    }\n  }\n}\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query History($id: Int!, $after: String) {\n  productRevisions(id: $id, after: $after, first: 2) {\n    nodes {\n      nodeId\n      action\n      contents {\n        name\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n"): (typeof documents)["query History($id: Int!, $after: String) {\n  productRevisions(id: $id, after: $after, first: 2) {\n    nodes {\n      nodeId\n      action\n      contents {\n        name\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;