export { createTools } from './tools.js';
export { BridgeFailure, cancelled, deadlineExceeded, faulted, refused, unsupported } from './failure.js';
export { MissingJspi, hasJspi } from './load.js';
export { toSql } from './sql/index.js';
export { toWhere } from './sql/where.js';
