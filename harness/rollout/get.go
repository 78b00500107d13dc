package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// asTable asks for what kubectl get asks for: the API server itself makes the rows and columns (kubectl v0.37, pkg/cmd/get/get.go,
// transformRequests; KEP-555).
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// Get returns what `kubectl get` prints of a resource in a namespace, without the ages: the columns, and a row for each object.
func Get(ctx context.Context, client rest.Interface, namespace, resource string) (columns []string, rows [][]string, err error) {
	text, err := client.Get().Namespace(namespace).Resource(resource).SetHeader("Accept", asTable).Do(ctx).Raw()
	if err != nil {
		return nil, nil, fmt.Errorf("rollout: get %s: %w", resource, err)
	}
	var table metav1.Table
	if err := json.Unmarshal(text, &table); err != nil {
		return nil, nil, fmt.Errorf("rollout: the table of %s: %w", resource, err)
	}
	rows = make([][]string, len(table.Rows))
	for at, column := range table.ColumnDefinitions {
		if column.Priority > 0 || column.Name == "Age" { // the first are for -o wide
			continue
		}
		columns = append(columns, strings.ToUpper(column.Name))
		for i, row := range table.Rows {
			rows[i] = append(rows[i], fmt.Sprint(row.Cells[at]))
		}
	}
	return columns, rows, nil
}
