import type { INode } from 'n8n-workflow';

/** Whether a model calls the node: the type of a tool ends with "Tool". */
export const isTool = ({ type }: INode): boolean => type.endsWith('Tool');

/** Whether a field holds an expression, which in a tool means that the model fills it in. */
export const isLeftOpen = ({ parameters }: INode, field: string): boolean => {
	const value = parameters[field];
	return typeof value === 'string' && value.startsWith('=');
};
