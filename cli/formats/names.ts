/** The formats of files, and `opensea`, the format of folders. */
export const formatNames = ['json', 'ndjson', 'csv', 'opensea']
