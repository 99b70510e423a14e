/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentValueInput, DocumentValue } from 'product-templates-client';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What a revision can do to a template. */
export type RevisionAction =
  /** The template was created. */
  | 'CREATE'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE'
  /** The contents of an earlier revision were restored. */
  | 'RESTORE'
  /** The template was imported. */
  | 'IMPORT';

/**
 * Conditions on templates; a template matches if all of them hold. Queries ignore null conditions. Mutations refuse null,
 * a part without a condition, and an empty list within `not`; only `{}` as the whole filter is accepted, and means all
 * templates. A filter may have 500 conditions, and 10 levels of `and`, `or` and `not`: each value and each filter within
 * these counts as one condition, and each word of `search` as ten.
 */
export type ProductTemplateFilter = {
  /** Condition on the identifier. */
  id?: IntFilter | null | undefined;
  /** Condition on the display name. */
  name?: NameFilter | null | undefined;
  /** Condition on the UI component. */
  componentName?: StringFilter | null | undefined;
  /** Condition on the blockchain. */
  blockchainId?: IntFilter | null | undefined;
  /** Condition on whether the template is public. */
  publicProduct?: BooleanFilter | null | undefined;
  /** Condition on the maximum number of items. */
  maxItems?: IntFilter | null | undefined;
  /** Condition on the creation time. */
  timeCreated?: TimeFilter | null | undefined;
  /** Condition on the time of the last modification. */
  timeModified?: TimeFilter | null | undefined;
  /** Condition on `productId` of the document; a number counts as its text. */
  productId?: StringFilter | null | undefined;
  /** Condition on a trait of the document. Use `and` for several traits. */
  trait?: TraitFilter | null | undefined;
  /**
   * Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait.
   * Only letters and digits count; case and accents are ignored. `out1003` finds `OUT-1003`. At most 1000 characters.
   */
  search?: string | null | undefined;
  /** All of these filters match. An empty list is ignored. */
  and?: Array<ProductTemplateFilter> | null | undefined;
  /** At least one of these filters matches. An empty list matches nothing. */
  or?: Array<ProductTemplateFilter> | null | undefined;
  /** This filter does not match. */
  not?: ProductTemplateFilter | null | undefined;
};

/** Conditions on an integer. */
export type IntFilter = {
  /** Equal to this. */
  equals?: number | null | undefined;
  /** Equal to one of these. */
  in?: Array<number> | null | undefined;
  /** Greater than this. */
  gt?: number | null | undefined;
  /** Greater than or equal to this. */
  gte?: number | null | undefined;
  /** Less than this. */
  lt?: number | null | undefined;
  /** Less than or equal to this. */
  lte?: number | null | undefined;
};

/** Conditions on a string, case-sensitive. */
export type StringFilter = {
  /** Equal to this. */
  equals?: string | null | undefined;
  /** Equal to one of these. */
  in?: Array<string> | null | undefined;
};

/** Conditions on a name. */
export type NameFilter = {
  /** Equal to this, case-sensitive. */
  equals?: string | null | undefined;
  /** Equal to one of these, case-sensitive. */
  in?: Array<string> | null | undefined;
  /** Contains this, case-insensitive. */
  contains?: string | null | undefined;
  /** Starts with this, case-insensitive. */
  startsWith?: string | null | undefined;
};

/** Condition on a boolean. */
export type BooleanFilter = {
  /** Equal to this. */
  equals?: boolean | null | undefined;
};

/** Conditions on a time. Times are in UTC: `YYYY-MM-DDTHH:MM:SSZ`, with up to six fractional digits. */
export type TimeFilter = {
  /** After this time. */
  gt?: string | null | undefined;
  /** At or after this time. */
  gte?: string | null | undefined;
  /** Before this time. */
  lt?: string | null | undefined;
  /** At or before this time. */
  lte?: string | null | undefined;
};

/** Conditions on a trait. With `type` alone, the document must have the trait. Case-sensitive. */
export type TraitFilter = {
  /** Name of the trait. */
  type: string;
  /** The value is equal to this and of the same type: 7 is not "7". Null matches an absent or null value. */
  equals?: DocumentValueInput | null | undefined;
  /** The value is equal to one of these. */
  in?: Array<DocumentValueInput | null | undefined> | null | undefined;
  /** A string value contains this text, or a list has this element. */
  contains?: string | null | undefined;
  /**
   * A number greater than this. Numbers in text and in lists count too: an integer of at most 16 digits, or at most 15
   * characters with a point, or with a comma before one or two decimals, such as `12,50`.
   */
  gt?: number | null | undefined;
  /** A number greater than or equal to this. */
  gte?: number | null | undefined;
  /** A number less than this. If there is also a lower bound, one number must be within both bounds. */
  lt?: number | null | undefined;
  /** A number less than or equal to this. */
  lte?: number | null | undefined;
  /**
   * A date within these bounds. Texts and elements of lists count if they are a date, or a date and a time such as
   * `2026-03-01T22:30:00-05:00`. A time counts as the date that is written, whatever its zone.
   */
  date?: DateFilter | null | undefined;
  /** Whether the document has the trait. */
  exists?: boolean | null | undefined;
};

/** Conditions on a date. Dates have the form `YYYY-MM-DD`. One date must meet all conditions. */
export type DateFilter = {
  /** After this date. */
  gt?: string | null | undefined;
  /** On or after this date. */
  gte?: string | null | undefined;
  /** Before this date. */
  lt?: string | null | undefined;
  /** On or before this date. */
  lte?: string | null | undefined;
};

export type CardsQueryVariables = Exact<{
  where?: ProductTemplateFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type CardsQuery = { products: { nodes: Array<{ id: number, name: string, document: { image: string | null, attributes: Array<{ traitType: string, value: DocumentValue | null, text: string }> } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CardFragment = { id: number, name: string, document: { image: string | null, attributes: Array<{ traitType: string, value: DocumentValue | null, text: string }> } | null };

export type HistoryQueryVariables = Exact<{
  id: number;
  after?: string | null | undefined;
}>;


export type HistoryQuery = { productRevisions: { nodes: Array<{ nodeId: string, action: RevisionAction, contents: { name: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export const CardFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Card"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ProductTemplate"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"document"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"image"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"traitType"}},{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"text"}}]}}]}}]}}]} as unknown as DocumentNode<CardFragment, unknown>;
export const CardsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Cards"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductTemplateFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Card"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Card"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ProductTemplate"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"document"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"image"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"traitType"}},{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"text"}}]}}]}}]}}]} as unknown as DocumentNode<CardsQuery, CardsQueryVariables>;
export const HistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"History"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productRevisions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"2"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"contents"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<HistoryQuery, HistoryQueryVariables>;